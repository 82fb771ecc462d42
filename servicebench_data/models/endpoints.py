"""From a model's name to where it is asked.

Belongs here: which road a model takes, its address and key. Not here: the requests (`roads.py`).

`openai/NAME`, `hosted_vllm/NAME` and `lm_studio/NAME` are asked straight; `local/FILE.gguf` runs in this process; every
other name goes through litellm, which reads its keys from the usual variables itself.
"""

import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from servicebench_data.lake.store import digest_file
from servicebench_data.models.options import OptionsError
from servicebench_data.settings import find_access, list_bases

Road = Literal["straight", "litellm", "local"]
#: Its key is read from ENDPOINT_API_KEY.
SERVICE = "endpoint"
STRAIGHT: dict[str, str] = {"openai": "https://api.openai.com/v1", "hosted_vllm": "", "lm_studio": ""}


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked.

    Attributes:
        model: The model's name as it was set.
        name: Its name for the endpoint.
        road: How it is asked.
        base_url: Base of the addresses, with whatever it holds; None for the provider's own.
        identity: What tells it apart in the ledger: the base without credentials, or the file's digest.
        key: The key.
        key_name: Variable that holds the key.
        is_default: Whether it is the provider's own address, for which the price list holds.
    """

    model: str
    name: str
    road: Road
    base_url: str | None = field(repr=False)
    identity: str
    key: SecretStr | None
    key_name: str
    is_default: bool


def find_endpoint(model: str, api_base: str | None = None) -> Endpoint:
    """Where a model is asked: at a given address, which speaks OpenAI's chat format, or where the environment says.

    Raises:
        OptionsError: Its name is incomplete, its file is missing, or it needs an address that is not set.
    """
    if api_base is not None:
        return find_service(model, api_base)
    provider, slash, name = model.partition("/")
    if slash and not name:
        raise OptionsError(f"model {model!r} names a provider alone; write it as PROVIDER/NAME.")
    if provider == "local" and slash:
        return find_local(Path(name))
    access = find_access(provider) if slash else find_access("openai")
    if slash and provider in STRAIGHT:
        base = access.base_url or STRAIGHT[provider]
        if not base:
            raise OptionsError(f"model {model!r} needs an address; set {provider.upper()}_API_BASE.")
        is_default = base == STRAIGHT[provider]
        return Endpoint(model, name, "straight", base, clean_url(base), access.key, access.key_name, is_default)
    # litellm gets the address of its provider only: a bare name may belong to any, whose variable litellm reads itself.
    base = access.base_url if slash else None
    bases = [base] if base else [] if slash else list_bases()
    identity = " ".join(map(clean_url, bases))
    return Endpoint(model, model, "litellm", base, identity, access.key if slash else None, access.key_name, not bases)


def find_service(model: str, api_base: str) -> Endpoint:
    """A service at an address that an experiment names.

    It gets a key of its own alone: a provider's key would go wherever whoever wrote the experiment's file points to.

    Raises:
        OptionsError: The address is no URL of HTTP.
    """
    if urlsplit(api_base).scheme not in {"http", "https"}:
        raise OptionsError(f"model {model!r} has no usable address; write `api_base` as http://HOST/PATH.")
    provider, slash, name = model.partition("/")
    access = find_access(SERVICE)
    name = name if slash and provider in STRAIGHT else model
    base = api_base.rstrip("/")
    return Endpoint(model, name, "straight", base, clean_url(base), access.key, access.key_name, is_default=False)


def find_local(path: Path) -> Endpoint:
    """A model file on this machine; its folder stays out of its name, which is published with what it wrote.

    Raises:
        OptionsError: There is none.
    """
    if not path.is_file():
        raise OptionsError(f"there is no model file {str(path)!r}; name a GGUF file as local/PATH.gguf.")
    status = path.stat()
    digest = digest_model(path, status.st_size, status.st_mtime_ns)
    return Endpoint(f"local/{path.name}", str(path), "local", None, f"sha256:{digest}", None, "", is_default=False)


@cache
def digest_model(path: Path, size: int, changed_at: int) -> str:  # noqa: ARG001  (they say that the file is another)
    """SHA-256 of a model file, computed once in a process."""
    return digest_file(path)


def clean_url(url: str) -> str:
    """A URL without credentials and query, which can hold keys."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme.lower(), host.lower(), parts.path.rstrip("/"), "", ""))


def quiet_litellm() -> None:
    """Variables that keep litellm from fetching anything of its own; they must be set before it is imported."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
