"""Records of the models group: the calls that were paid for, and the items that a model did not solve.

Belongs here: one row of the ledger, one row for each item that a task failed on. Not here: what a model must answer
(each task has a record of its own), or how the ledger stores its rows.
"""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Digest, Id, Record, Reference, Table

CallStatus = Literal["answered", "failed"]
OutcomeStatus = Literal["answered", "invalid", "unanswered", "over_budget"]


class Call(Record):
    """One row per model call: what was asked, what came back, what it cost.

    The ledger holds these rows, not the lake: a call is committed when it returns, and outlives every build.
    """

    table: ClassVar = Table("call", "models", ("key",), is_partitioned=False, is_published=False)

    key: Digest = Field(description="SHA-256 of all that determines the answer, and of nothing else.")
    task: Id = Field(description="Task that made the call first.")
    item_id: Id = Field(description="Item of the task that made it first.")
    try_number: int = Field(ge=1, description="1 for the first question, 2 when reasons went back once, and so on.")
    model: Id = Field(description="Model's name as it was set.")
    endpoint: str = Field(description="Base URL without credentials, or the model file's digest; empty for a default.")
    answered_by: str | None = Field(description="Model's name as the endpoint gave it.")
    fingerprint: str | None = Field(description="The endpoint's system fingerprint, where it gives one.")
    request_json: str = Field(min_length=2, description="Messages, parameters, schema and seed as JSON.")
    dropped: list[str] = Field(description="Parameters that the endpoint refused and that were left out.")
    response_text: str | None = Field(description="The answer's text as it came; missing where the call failed.")
    finish_reason: str | None = Field(description="Why the model stopped: `stop`, `length`, `content_filter`, …")
    error: str | None = Field(description="Why there is no answer, without secrets; missing where there is one.")
    tokens_in: Count | None = Field(description="Tokens of the question; missing where the endpoint does not say.")
    tokens_out: Count | None = Field(description="Tokens of the answer; missing where the endpoint does not say.")
    cost_usd: float | None = Field(ge=0, description="Price of the call, USD; missing where it is unknown.")
    counted_tokens: Count = Field(
        description="Tokens that caps count, of all attempts: the most that it can be where the endpoint does not say."
    )
    counted_usd: float = Field(ge=0, description="USD that caps count, of all attempts, likewise; 0 without a price.")
    latency_seconds: float = Field(ge=0, description="Time of the last attempt, seconds.")
    attempts: int = Field(ge=1, description="Requests sent, retries among them.")
    started_at: datetime = Field(description="When the first request was sent, UTC.")
    ended_at: datetime = Field(description="When the last reply had come, UTC.")
    status: CallStatus = Field(description="`answered` is never asked again; `failed` is.")
    run_id: str = Field(description="Run that paid for it; empty where none was named.")


class TaskFailure(Record):
    """One row per scenario and task that no try solved, with the reasons and the last raw answer."""

    table: ClassVar = Table(
        "task_failure",
        "scenarios",
        ("scenario_id", "task"),
        (Reference(("scenario_id",), "candidate", ("scenario_id",)),),
        may_be_empty=True,
    )

    industry: Id = Field(description="Industry of the account.")
    scenario_id: Id = Field(description="Scenario, derived from its source dialogue alone.")
    task: Id = Field(description="Task that failed.")
    made_by: Id = Field(description="Model that was asked last.")
    status: Literal["invalid", "unanswered", "over_budget"] = Field(
        description="Whether every answer was refused, none came, or a cap stopped the call."
    )
    reasons: list[str] = Field(description="Why the last answer was refused, or why there was none.")
    raw_answer: str | None = Field(description="The last answer as it came; missing where there was none.")
    tries: Count = Field(description="Answers that came and were refused.")
