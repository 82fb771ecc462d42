"""Containers that the steps of this package hand to each other; no table has their shape.

Belongs here: a dialogue as the steps see it, and all parts of one scenario. Not here: rules.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.industry import Category, Industry
from schemas.models import TaskFailure
from schemas.scenarios import (
    BackgroundSentence,
    Candidate,
    CaseFieldRow,
    CasePolicy,
    Event,
    Expectation,
    Fact,
    GroundingFailure,
    Severity,
)
from servicebench_data.scenarios.reading import SourceTurn


@dataclass(frozen=True)
class Knowledge:
    """An industry as the steps need it, prepared once.

    Attributes:
        industry: The industry's files.
        categories: Its categories by id.
        stages: Stage id by category id.
        brands: Brand by lower-case handle, of all known accounts.
        company: How a company of the industry is called in prose, without article.
    """

    industry: Industry
    categories: Mapping[str, Category]
    stages: Mapping[str, str]
    brands: Mapping[str, str]
    company: str

    def name_brand(self, account: str) -> str:
        """The brand behind a handle, or what to call the company where the account is not known."""
        return self.brands.get(account.lower(), f"the {self.company}")


def prepare(industry: Industry, others: tuple[Industry, ...] = ()) -> Knowledge:
    """Prepare an industry.

    Args:
        industry: The industry.
        others: Further industries whose accounts customers may name too.
    """
    accounts = [account for entry in (*others, industry) for account in entry.accounts.accounts]
    brands = {
        handle: account.brand
        for account in accounts
        for handle in (account.handle.lower(), account.handle.lower().replace("_", ""))
    }
    return Knowledge(
        industry=industry,
        categories={category.id: category for category in industry.journey.categories},
        stages={category.id: stage.id for stage in industry.journey.stages for category in stage.categories},
        brands=brands,
        company=name_company(industry.accounts.title),
    )


def name_company(title: str) -> str:
    """What to call a company in prose: the singular of a plain plural title ("Airlines"), else "company"."""
    word = title.strip().lower()
    return word[:-1] if word.isalpha() and word.endswith("s") and not word.endswith("ss") else "company"


@dataclass(frozen=True)
class Chance:
    """What is left to chance, which is only the staleness of case-record fields.

    Attributes:
        seed: Seed of the build.
        stale_rate: Share of the case-record fields that can be stale and are.
    """

    seed: int
    stale_rate: float


@dataclass(frozen=True)
class Source:
    """One complaint dialogue with its coding.

    Attributes:
        dialogue_id: The dialogue.
        account: Handle of its care account.
        category_id: Category of its coding.
        turns: Its masked turns in order.
        is_decided: Whether a person decided the category, which a second coding then cannot question.
        is_settled: Whether a model settled it, which then has a say in the second coding too.
    """

    dialogue_id: str
    account: str
    category_id: str
    turns: tuple[SourceTurn, ...]
    is_decided: bool = False
    is_settled: bool = False

    @property
    def scenario_id(self) -> str:
        """Id of the scenario, from the dialogue alone."""
        return make_scenario_id(self.dialogue_id)

    @property
    def has_reply(self) -> bool:
        """Whether the account ever replied."""
        return any(turn.role == "account" for turn in self.turns)


def make_scenario_id(dialogue_id: str) -> str:
    """Id of the scenario of a dialogue."""
    return "s" + hashlib.sha256(f"scenario:{dialogue_id}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Parts:
    """All parts of one candidate; the lists are empty where it was rejected before they were made.

    `failure` is the task on which a model failed; what it wrote before stays.
    """

    candidate: Candidate
    events: list[Event] = field(default_factory=list[Event])
    severity: Severity | None = None
    facts: list[Fact] = field(default_factory=list[Fact])
    background: list[BackgroundSentence] = field(default_factory=list[BackgroundSentence])
    expectation: Expectation | None = None
    case_fields: list[CaseFieldRow] = field(default_factory=list[CaseFieldRow])
    case_policies: list[CasePolicy] = field(default_factory=list[CasePolicy])
    failures: list[GroundingFailure] = field(default_factory=list[GroundingFailure])
    failure: TaskFailure | None = None

    @property
    def is_finished(self) -> bool:
        """Whether another run could not mend it: a question that stayed without an answer is asked again."""
        return self.failure is None or self.failure.status == "invalid"
