"""The doorway against bare litellm (and inspect_ai where it is there): 3,000 structured calls, 64 at once, 300 ms each.

Run by hand: `python benchmarks/models.py` (`--smoke` for 200 calls of 50 ms). A server on loopback in a process of its
own answers after a fixed time; each client runs in a process of its own, imports and a first call not counted. The
doorway keeps every answer in a ledger, the others keep nothing. Then the doorway runs once more from its ledger. For
inspect_ai name a Python that has it: `--peer-python PATH`.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).parents[1]
RATIO = 1.15
ANSWER = {"level": "high", "reason": "The bag was lost, and nobody answered for a whole week. " * 6}
SYSTEM = "You grade complaints. " * 40
POST = "My bag is lost and nobody answers, this is number {}. " + "I have been waiting since Monday. " * 40


class Grade(BaseModel):
    """How grave a complaint is."""

    model_config = ConfigDict(extra="forbid")

    level: str
    reason: str


def main() -> int:
    """Run all and print the comparison, or run one as a child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="200 calls of 50 ms, 16 at once; no verdict")
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--places", type=int, default=64, help="calls at once")
    parser.add_argument("--delay", type=float, default=0.3, help="seconds until the server answers")
    parser.add_argument("--peer-python", help="Python with inspect_ai")
    parser.add_argument("--child", choices=("serve", "doorway", "litellm", "inspect_ai"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.smoke:
        options.calls, options.places, options.delay = 200, 16, 0.05
    if options.child:
        return run_child(options)
    return compare(options)


def compare(options: argparse.Namespace) -> int:
    """Start the server and each client in turn."""
    size = ["--calls", str(options.calls), "--places", str(options.places), "--delay", str(options.delay)]
    command = [sys.executable, __file__, "--child", "serve", *size]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            base = f"http://127.0.0.1:{port}/v1"
            results = run_clients(options, size, base)
        finally:
            server.kill()
    ideal = options.calls / options.places * options.delay
    bound = RATIO * max(ideal, results["litellm"]["seconds"])
    print(f"ideal {ideal:.1f} s; bound {bound:.1f} s = {RATIO} of the larger of the ideal and bare litellm")
    print(f"{'':12s} {'seconds':>8s} {'of ideal':>8s} {'CPU ms a call':>14s} {'peak MB':>8s}")
    for name, row in results.items():
        of_ideal = f"{row['seconds'] / ideal:8.2f}" if not name.startswith("cached") else f"{'':8s}"
        print(f"{name:12s} {row['seconds']:8.2f} {of_ideal} {row['cpu_ms']:14.2f} {row['peak_mb']:8.0f}")
    if options.smoke or results["doorway"]["seconds"] <= bound:
        return 0
    print("the doorway is slower than its bound")
    return 1


def run_clients(options: argparse.Namespace, size: list[str], base: str) -> dict[str, dict[str, float]]:
    """Figures by client."""
    clients = {"doorway": sys.executable, "litellm": sys.executable}
    if options.peer_python:
        clients["inspect_ai"] = options.peer_python
    environment = {
        **os.environ, "OPENAI_API_BASE": base, "OPENAI_BASE_URL": base, "OPENAI_API_KEY": "none",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_OFFLINE_MODE": "true", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    results: dict[str, dict[str, float]] = {}
    for name, python in clients.items():
        command = [python, __file__, "--child", name, *size]
        done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                results[row.pop("name")] = row
    return results


def run_child(options: argparse.Namespace) -> int:
    """Serve, or be one of the clients."""
    if options.child == "serve":
        asyncio.run(serve(options.delay))
    elif options.child == "doorway":
        run_doorway(options)
    else:
        asyncio.run(run_bare(options))
    return 0


async def serve(delay: float) -> None:
    """Answer every request after a fixed time."""
    server = await asyncio.start_server(Answering(delay), "127.0.0.1", 0, limit=1 << 22, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Answering:
    """Handles connections of the server.

    Args:
        delay: Seconds until it answers.
    """

    def __init__(self, delay: float) -> None:
        message = {"role": "assistant", "content": json.dumps(ANSWER)}
        body = json.dumps({
            "id": "x", "object": "chat.completion", "created": 1, "model": "small",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 400, "completion_tokens": 90, "total_tokens": 490},
        }).encode()  # fmt: skip
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.reply = head.encode() + body
        self.delay = delay

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on one connection until it ends."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                await reader.readexactly(int(length.split(b":")[1]))
                await asyncio.sleep(self.delay)
                writer.write(self.reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def report(name: str, calls: int, start: tuple[float, float]) -> None:
    """Print a client's figures."""
    seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"name": name, "seconds": seconds, "cpu_ms": cpu / calls * 1000, "peak_mb": peak}))


def now() -> tuple[float, float]:
    """Wall and processor time."""
    return time.perf_counter(), time.process_time()


def run_doorway(options: argparse.Namespace) -> None:
    """The product: through the doorway, into a ledger, then once more out of it."""
    from servicebench_data.models.doorway import open_doorway  # noqa: PLC0415
    from servicebench_data.models.options import ModelOptions  # noqa: PLC0415
    from servicebench_data.models.prompts import load_prompt  # noqa: PLC0415
    from servicebench_data.models.task import Item, Task  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grade.md"
        path.write_text(f"---\nname: grade\nrecord: Grade\n---\n# System\n{SYSTEM}\n# User\n{{{{ post }}}}\n")
        task = Task("grade", load_prompt(path), Grade)
        items = [Item(str(number), {"post": POST.format(number)}, accept) for number in range(options.calls + 1)]
        with open_doorway(
            ModelOptions(model="openai/small", concurrency=options.places), f"sqlite:///{folder}/ledger.sqlite"
        ) as doorway:
            doorway.run(task, items[-1:])
            for name in ("doorway", "cached"):
                start = now()
                outcomes = doorway.run(task, items[:-1])
                report(name, options.calls, start)
                # Calls that fail at once would make it fast.
                if failed := sum(outcome.answer is None for outcome in outcomes):
                    raise SystemExit(f"{failed} of {options.calls} calls have no answer; nothing is measured")


def accept(_: Grade) -> list[str]:
    """No reasons."""
    return []


async def run_bare(options: argparse.Namespace) -> None:
    """The same loop over a peer: the same questions, so many at once, each answer validated."""
    ask = make_litellm() if options.child == "litellm" else make_inspect(options.places)
    await ask(POST.format(-1))
    numbers = iter(range(options.calls))
    start = now()
    await asyncio.gather(*(work_off(ask, numbers) for _ in range(options.places)))
    report(options.child, options.calls, start)


async def work_off(ask: Any, numbers: Any) -> None:
    """Take questions until none is left."""
    for number in numbers:
        Grade.model_validate_json(await ask(POST.format(number)))


def make_litellm() -> Any:
    """Ask by bare litellm."""
    import litellm  # noqa: PLC0415

    return AskLitellm(litellm)


class AskLitellm:
    """Asks by `litellm.acompletion`."""

    def __init__(self, litellm: Any) -> None:
        self.litellm = litellm
        self.schema = {
            "type": "json_schema",
            "json_schema": {"name": "Grade", "strict": True, "schema": Grade.model_json_schema()},
        }

    async def __call__(self, post: str) -> str:
        """One answer's text."""
        reply = await self.litellm.acompletion(
            model="openai/small",
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": post}],
            response_format=self.schema,
            temperature=0.7,
            max_tokens=4000,
            seed=2026,
            num_retries=0,
            max_retries=0,
            timeout=60,
        )
        return reply.choices[0].message.content


def make_inspect(places: int) -> Any:
    """Ask by inspect_ai's model interface."""
    from inspect_ai.model import (  # noqa: PLC0415 # pyright: ignore[reportMissingImports]
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ResponseSchema,
        get_model,
    )
    from inspect_ai.util import json_schema  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    config = GenerateConfig(
        temperature=0.7, max_tokens=4000, seed=2026, max_connections=places, max_retries=0,
        response_schema=ResponseSchema(name="Grade", json_schema=json_schema(Grade), strict=True),
    )  # fmt: skip
    model = get_model("openai/small", config=config, responses_api=False)
    return AskInspect(model, ChatMessageSystem, ChatMessageUser)


class AskInspect:
    """Asks by inspect_ai's `Model.generate`."""

    def __init__(self, model: Any, system: Any, user: Any) -> None:
        self.model = model
        self.system = system
        self.user = user

    async def __call__(self, post: str) -> str:
        """One answer's text."""
        output = await self.model.generate([self.system(content=SYSTEM), self.user(content=post)])
        return output.completion


if __name__ == "__main__":
    sys.exit(main())
