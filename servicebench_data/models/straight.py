"""The fast road: one HTTP request over aiohttp.

Belongs here: connections, proxies, what aiohttp raises. Not here: what is sent and what a reply means (`roads.py`).

At 64 requests at once httpx, on which the `openai` client and litellm stand, takes 8 ms of processor time for each,
aiohttp half a millisecond.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from servicebench_data.models.faults import CallError


class Received(NamedTuple):
    """What came over the wire."""

    status: int
    headers: Mapping[str, str]
    text: str


class StraightRoad:
    """Connections to endpoints; open it inside the loop that uses it.

    Args:
        concurrency: Most connections to one host.
    """

    def __init__(self, concurrency: int) -> None:
        connector = aiohttp.TCPConnector(limit=0, limit_per_host=concurrency)
        self._session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=None))

    async def close(self) -> None:
        """End all connections."""
        await self._session.close()

    async def post(self, address: str, headers: Mapping[str, str], body: bytes) -> Received:
        """Send a body once; a redirect is not followed, for it would carry the key to another host.

        Raises:
            CallError: Nothing came back.
        """
        try:
            async with self._session.post(
                address, data=body, headers=headers, allow_redirects=False, proxy=find_proxy(address)
            ) as reply:
                text = (await reply.read()).decode("utf-8", "replace")
                return Received(reply.status, reply.headers, text)
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
            raise CallError("unknown_model", "the address is no URL; mend it.") from None
        except aiohttp.ClientConnectionError as error:
            raise CallError("unavailable", f"no connection ({type(error).__name__}).") from None
        except aiohttp.ClientError as error:
            raise CallError("unavailable", f"the reply broke off ({type(error).__name__}).") from None


@cache
def find_proxy(address: str) -> str | None:
    """The proxy for an address by the usual variables; None where it is reached straight."""
    parts = urlsplit(address)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)
