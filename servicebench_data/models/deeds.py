"""Answers of what is no model: a team's own function. They are kept and looked up in the ledger as calls are.

Belongs here: what identifies such an answer, and its row. Not here: who is called (`simulation/agents`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from schemas.models import Call

DEED_VERSION = 1


@dataclass(frozen=True)
class Deed:
    """Something that is done once.

    Attributes:
        task: Name in ledger and reports.
        item_id: Id of what it is about; the ledger forgets by it.
        name: Who does it, as `package.module:function`.
        version: Its declared version; another one is asked anew.
        given: All that it is given, as JSON takes it.
        scope: Conversation and turn.
    """

    task: str
    item_id: str
    name: str
    version: str
    given: Mapping[str, Any]
    scope: str
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC), compare=False)

    @cached_property
    def text(self) -> str:
        """All that determines the answer, as canonical JSON."""
        known = {
            "deed": DEED_VERSION,
            "callable": self.name,
            "version": self.version,
            "given": self.given,
            "scope": self.scope,
        }
        return json.dumps(known, sort_keys=True, ensure_ascii=False)

    @cached_property
    def key(self) -> str:
        """SHA-256 of it."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def write_call(self, answer: str, run_id: str) -> Call:
        """The ledger's row of an answer; it costs nothing that we could know."""
        ended_at = datetime.now(UTC)
        return Call(
            key=self.key,
            task=self.task,
            item_id=self.item_id,
            try_number=1,
            model=self.name,
            endpoint=f"version:{self.version}",
            answered_by=None,
            fingerprint=None,
            request_json=self.text,
            dropped=[],
            response_text=answer,
            finish_reason="stop",
            error=None,
            tokens_in=None,
            tokens_out=None,
            cost_usd=None,
            counted_tokens=0,
            counted_usd=0.0,
            latency_seconds=(ended_at - self.started_at).total_seconds(),
            attempts=1,
            started_at=self.started_at,
            ended_at=ended_at,
            status="answered",
            run_id=run_id,
        )
