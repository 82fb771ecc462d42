"""A real HTTP server on loopback that answers as an OpenAI-compatible endpoint does, with faults on demand.

Belongs here: the server, its replies and its log. Not here: what is tested with it.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What the server sends back.

    Attributes:
        body: The body as text.
        status: HTTP status.
        headers: Further headers.
        delay: Seconds before it is sent.
        is_cut: Whether the connection ends in the middle of the body.
    """

    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    is_cut: bool = False


@dataclass(frozen=True)
class Asked:
    """A request that the server got."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def question(self) -> str:
        """Text of the last message."""
        return self.body["messages"][-1]["content"]


Script = Callable[[Asked], Answer]


def complete(content: str | None, *, finish_reason: str = "stop", delay: float = 0.0, **message: Any) -> Answer:
    """A chat completion."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50},
    }
    return Answer(json.dumps(body), delay=delay)


def refuse(
    status: int, message: str, *, code: str = "", headers: dict[str, str] | None = None, delay: float = 0.0
) -> Answer:
    """An error in OpenAI's form."""
    error = {"message": message, "type": "error", "param": None, "code": code or None}
    return Answer(json.dumps({"error": error}), status, headers or {}, delay)


class Server:
    """The server; use it in a `with`.

    Args:
        script: Says what to answer to each request.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._stop: asyncio.Event | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def base(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._stop
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._loop.close()

    async def _listen(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0, limit=1 << 22, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            asked = Asked(len(self.asked), first.split()[1], headers, json.loads(body), time.monotonic())
            self.asked.append(asked)
            answer = self.script(asked)
            if answer.delay:
                await asyncio.sleep(answer.delay)
        finally:
            self.in_flight -= 1
        data = answer.body.encode()
        extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        length = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        writer.write(f"HTTP/1.1 {answer.status} Status\r\n{length}{extra}\r\n".encode())
        writer.write(data[: len(data) // 2] if answer.is_cut else data)
        await writer.drain()
        return not answer.is_cut
