"""The experiment file: who talks with whom about which scenarios, and who judges.

Belongs here: the form of the file and what must hold within it. Not here: reading it, or what comes of it
(`simulation.py`, `judging.py`).
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from schemas.industry import Slug
from schemas.records import Strict
from schemas.simulation import DisclosureMode, Style

Guidance = Literal["none", "case", "procedure", "case_and_procedure"]
Reasoning = Literal["direct", "chain_of_thought", "plan_then_reply", "reflect_then_reply"]
Script = Literal["just", "cold", "premature_payer", "evader", "over_promiser"]
STYLES: tuple[Style, ...] = ("assertive_warm", "assertive_cold", "passive_warm", "passive_cold")


class AgentSpec(Strict):
    """An agent: exactly one of a script of ours, a model, or a callable."""

    name: Slug = Field(description="Name in all results.")
    script: Script | None = Field(default=None, description="A scripted agent.")
    model: str | None = Field(default=None, description="A model's name, as litellm takes it.")
    api_base: str | None = Field(default=None, description="Base URL of an endpoint that speaks OpenAI's chat format.")
    callable: str | None = Field(default=None, description="A Python callable as `package.module:function`.")
    version: str | None = Field(default=None, description="Declared version of a callable; part of the ledger's key.")
    system_prompt: str | None = Field(default=None, description="Prompt file in place of the bundled one.")
    guidance: Guidance = "none"
    reasoning: Reasoning = "direct"
    answers: Literal["structured", "text"] = Field(
        default="structured", description="Message with declared offers as JSON, or the message alone as plain text."
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=800, ge=16)
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any], description="Further parameters of the model.")

    @model_validator(mode="after")
    def check_kind(self) -> Self:
        """One kind, and what goes with it."""
        given = [name for name in ("script", "model", "callable") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"agent {self.name!r} needs exactly one of `script`, `model`, `callable`; it has {given}")
        if (self.callable is None) != (self.version is None):
            raise ValueError(f"agent {self.name!r}: `version` goes with `callable`, and a callable needs one")
        if self.api_base is not None and self.model is None:
            raise ValueError(f"agent {self.name!r}: `api_base` goes with `model`")
        if self.answers == "text" and (self.model is None or self.reasoning != "direct"):
            raise ValueError(f"agent {self.name!r}: `answers: text` goes with `model` and `reasoning: direct`")
        return self


class CustomerSpec(Strict):
    """A customer simulator: the rules, or a model."""

    name: Slug = "rules"
    model: str | None = Field(default=None, description="A model's name; the rules where it is missing.")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=400, ge=16)


class JudgeSpec(Strict):
    """A judge: the rule engine for declared acts, or a model."""

    name: Slug = "rules"
    model: str | None = Field(default=None, description="A model's name; the rule engine where it is missing.")
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=1500, ge=16)
    calls: Literal["one", "three"] = Field(default="one", description="All dimensions in one call, or one each.")


class Selection(Strict):
    """Which released scenarios are played; what is empty does not narrow."""

    industries: list[Slug] = Field(default_factory=list[str])
    categories: list[Slug] = Field(default_factory=list[str])
    severities: list[Literal["low", "medium", "high"]] = Field(default_factory=list[Literal["low", "medium", "high"]])
    split: Literal["train", "evaluation"] | None = None
    scenario_ids: list[str] = Field(default_factory=list[str])
    limit: int | None = Field(default=None, ge=1, description="So many, drawn evenly over the categories by the seed.")


class Experiment(Strict):
    """An experiment, as its file says it."""

    title: str = Field(min_length=1, description="What it is for, in a sentence.")
    agents: list[AgentSpec] = Field(min_length=1)
    customers: list[CustomerSpec] = Field(default_factory=lambda: [CustomerSpec()], min_length=1)
    judges: list[JudgeSpec] = Field(default_factory=lambda: [JudgeSpec()])
    gate_model: str | None = Field(default=None, description="A model for the gate; the rules where it is missing.")
    scenarios: Selection = Field(default_factory=Selection)
    styles: Annotated[list[Style], Field(min_length=1)] | Literal["all", "balanced"] = Field(
        default="all", description="All four per scenario, a listed few, or one per scenario, the same for each agent."
    )
    disclosure: list[DisclosureMode] = Field(default_factory=lambda: ["progressive"], min_length=1)
    repeats: int = Field(default=3, ge=1, description="Times that each conversation is held, with other seeds.")
    seed: int = 2026
    turn_cap: int = Field(
        default=20,
        ge=1,
        description="Most exchanges of a conversation, raised by half for all while over 5% of an agent's reach it.",
    )
    turn_cap_limit: int | None = Field(
        default=None, ge=1, description="Cap above which it is not raised; three times the cap where it is missing."
    )
    padding_test: int = Field(
        default=0,
        ge=0,
        description="Conversations, of all agents alike, that are scored once more with longer messages of the agent.",
    )
    style_moves_patience: bool = Field(
        default=False,
        description="Whether style acts on patience, and on how much is told of what an open question opens, too.",
    )

    @model_validator(mode="after")
    def check_cap(self) -> Self:
        """The cap can only be raised."""
        if self.turn_cap_limit is not None and self.turn_cap_limit < self.turn_cap:
            raise ValueError(
                f"`turn_cap_limit` is {self.turn_cap_limit}, below `turn_cap`; it is {self.turn_cap} or more"
            )
        return self

    @model_validator(mode="after")
    def check_names(self) -> Self:
        """Names are unique among agents, customers and judges."""
        for what in ("agents", "customers", "judges"):
            names = [entry.name for entry in getattr(self, what)]
            repeated = sorted({name for name in names if names.count(name) > 1})
            if repeated:
                raise ValueError(f"`{what}` must have different names; repeated: {repeated}")
        return self
