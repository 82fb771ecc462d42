"""Sending one request: straight to an OpenAI-compatible address, or through litellm.

Belongs here: bodies, headers, exceptions of the libraries. Not here: retries, pacing, budgets (`calling.py`).

The straight road exists for its price: a request costs half a millisecond of processor time against litellm's five.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from servicebench_data.models.endpoints import Endpoint, quiet_litellm
from servicebench_data.models.faults import CallError, read_fault
from servicebench_data.models.local import LocalModels
from servicebench_data.models.replies import Reply, read_completion
from servicebench_data.models.request import Request

if TYPE_CHECKING:
    from servicebench_data.models.straight import StraightRoad

# Parameters that a request can do without where an endpoint refuses them; the ledger's row says which were left out.
DROPPABLE = ("response_format", "max_tokens", "seed", "temperature")


class Roads:
    """Ways to all endpoints of a run; open it inside the loop that uses it.

    Args:
        concurrency: Most connections to one endpoint.
        timeout_seconds: Longest wait for one reply.
        local: Model files on this machine.
    """

    def __init__(self, concurrency: int, timeout_seconds: float, local: LocalModels) -> None:
        self._local = local
        self._concurrency = concurrency
        self._timeout_seconds = timeout_seconds
        self._straight: StraightRoad | None = None
        self._litellm: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._straight is not None:
            await self._straight.close()
        if self._litellm is not None:
            await self._litellm.close_litellm_async_clients()

    async def send(self, request: Request, dropped: frozenset[str]) -> Reply:
        """Send a request once.

        Raises:
            CallError: No answer came.
        """
        try:
            base = await self._find_base(request.endpoint)
            if request.endpoint.road == "litellm":
                self._load_litellm()  # which takes seconds that are none of the reply's
            async with asyncio.timeout(self._timeout_seconds):
                if request.endpoint.road == "litellm":
                    return await self._send_by_litellm(request, dropped)
                return await self._send_straight(base, request, dropped)
        except CallError:
            raise
        except TimeoutError:
            raise CallError("timeout", f"no reply within {self._timeout_seconds:g} s.") from None
        except Exception as error:  # noqa: BLE001  (what nobody foresaw fails one call, not the run)
            raise CallError("unreadable", f"the reply could not be read ({type(error).__name__}).") from None

    async def _find_base(self, endpoint: Endpoint) -> str:
        if endpoint.road == "local":
            return await asyncio.to_thread(self._local.find_base, endpoint.name)
        return endpoint.base_url or ""

    async def _send_straight(self, base: str, request: Request, dropped: frozenset[str]) -> Reply:
        if self._straight is None:
            from servicebench_data.models.straight import StraightRoad  # noqa: PLC0415  (half a second, when asked)

            self._straight = StraightRoad(self._concurrency)
        address = f"{base}/chat/completions"
        body = json.dumps({"model": request.endpoint.name, **write_body(request, dropped)}, ensure_ascii=False)
        status, headers, text = await self._straight.post(address, write_headers(request.endpoint), body.encode())
        if status != 200:
            raise read_fault(status, headers, text, list_droppable(dropped))
        return read_body(text, headers, dropped)

    async def _send_by_litellm(self, request: Request, dropped: frozenset[str]) -> Reply:
        litellm = self._load_litellm()
        base = {"api_base": request.endpoint.base_url} if request.endpoint.base_url else {}
        try:
            found = await litellm.acompletion(
                model=request.endpoint.model,
                num_retries=0,
                max_retries=0,
                timeout=self._timeout_seconds,
                **base,
                **write_body(request, dropped),
            )
        except Exception as error:  # noqa: BLE001  (it raises whatever a provider's library raises)
            raise read_exception(error, dropped) from None
        return read_completion(found.model_dump(mode="json", warnings=False))

    def _load_litellm(self) -> Any:
        if self._litellm is None:
            quiet_litellm()
            import litellm  # noqa: PLC0415  (takes seconds)

            litellm.suppress_debug_info = True
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # its messages can hold keys and texts
            self._litellm = litellm
        return self._litellm


def write_headers(endpoint: Endpoint) -> dict[str, str]:
    """Headers of a straight request.

    Raises:
        CallError: The provider needs a key and none is set.
    """
    headers = {"Content-Type": "application/json"}
    if endpoint.key is not None:
        headers["Authorization"] = f"Bearer {endpoint.key.get_secret_value()}"
    elif endpoint.is_default:
        raise CallError("refused_key", "no key is set.")
    return headers


def write_body(request: Request, dropped: frozenset[str]) -> dict[str, Any]:
    """Messages, parameters, seed and schema, less what the endpoint refused."""
    body: dict[str, Any] = {"messages": list(request.messages), **request.parameters, "seed": request.seed}
    if request.schema.full:
        body["response_format"] = write_format(request)
    if request.endpoint.road == "straight" and (request.endpoint.is_default or "max_tokens" in dropped):
        body["max_completion_tokens"] = body["max_tokens"]  # what OpenAI's own models ask for
        body.pop("max_tokens")
    return {name: value for name, value in body.items() if name not in dropped}


def write_format(request: Request) -> dict[str, Any]:
    """The schema as an endpoint enforces it: strictly where it can be, whole for servers that take every keyword."""
    schema = request.schema
    is_hosted = request.endpoint.is_default
    enforced = schema.enforced if is_hosted else schema.full
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.name, "schema": enforced, "strict": schema.is_strict},
    }


def read_body(text: str, headers: Mapping[str, str], dropped: frozenset[str]) -> Reply:
    """The reply in a body that came with status 200; some gateways report a fault that way.

    Raises:
        CallError: It holds a fault, or no reply.
    """
    try:
        found: Any = json.loads(text)
    except ValueError:
        raise CallError("unreadable", "the reply is no JSON.") from None
    if isinstance(found, dict) and "error" in found and "choices" not in found:
        entry: Any = cast("dict[str, Any]", found)["error"]
        code: Any = cast("dict[str, Any]", entry).get("code") if isinstance(entry, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        raise read_fault(status, headers, text, list_droppable(dropped))
    return read_completion(found)


def list_droppable(dropped: frozenset[str]) -> list[str]:
    """Parameters that may still be left out."""
    return [name for name in DROPPABLE if name not in dropped]


def read_exception(error: Exception, dropped: frozenset[str]) -> CallError:
    """The fault that an exception of litellm tells of."""
    status: Any = getattr(error, "status_code", None)
    response: Any = getattr(error, "response", None)
    headers: Any = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    message = str(getattr(error, "message", None) or error)
    if type(error).__name__ == "Timeout":
        return CallError("timeout", "no reply in time.")
    if not isinstance(status, int):
        return CallError("refused_request", f"{type(error).__name__}: {message}")
    if "UnsupportedParams" in type(error).__name__:
        status = 400
    return read_fault(status, dict(headers), message, list_droppable(dropped))
