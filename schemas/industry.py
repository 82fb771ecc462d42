"""The files in `industries/<industry>/`, which experts edit: accounts, journey map, case record, policies.

Belongs here: what those files may hold and what must agree between them. Not here: reading them, which is
`servicebench_data/industries.py`.
"""

from collections import Counter
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.records import Strict

FactKind = Literal[
    "flight_number", "booking_reference", "order_reference", "loyalty_number", "amount", "duration", "date", "time",
    "place", "count", "product", "person_role", "staff_statement", "impact", "contact", "event",
]  # fmt: skip
FieldType = Literal["text", "reference", "amount_usd", "duration", "date", "time", "place", "count", "choice"]
EntitlementKind = Literal[
    "refund", "replacement", "reimbursement", "rebooking", "repair", "credit", "voucher", "information"
]
Slug = str


class Account(Strict):
    """A care account on X."""

    handle: str = Field(pattern=r"^[A-Za-z0-9_]{1,30}$", description="Handle without @.")
    brand: str = Field(min_length=1, description="Name of the brand.")
    aliases: list[str] = Field(default_factory=list, description="Other words that customers use for the brand.")
    is_sample: bool = Field(description="Whether it is a fictional account of the bundled sample.")


class Exclusion(Strict):
    """Something that looks like the category and belongs to a neighbour."""

    what: str = Field(min_length=1)
    instead: Slug = Field(description="Category to use instead.")


class SeverityHints(Strict):
    """When a case of the category is of low, medium or high severity."""

    low: str
    medium: str
    high: str


class Category(Strict):
    """A complaint category of a journey map."""

    id: Slug = Field(pattern=r"^[a-z][a-z0-9_]*$")
    name: str = Field(min_length=1)
    definition: str = Field(min_length=20)
    includes: list[str] = Field(min_length=1)
    excludes: list[Exclusion] = Field(min_length=1)
    failures: list[str] = Field(min_length=1)
    cues: list[str] = Field(min_length=1)
    severity: SeverityHints
    remedies: list[str] = Field(min_length=1)
    examples: list[str] = Field(min_length=12, description="Messages in the voice of X, written by us.")


class Stage(Strict):
    """A stage of the customer journey with its categories, in the map's order."""

    id: Slug = Field(pattern=r"^[a-z][a-z0-9_]*$")
    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    categories: list[Category] = Field(min_length=1)


class JourneyMap(Strict):
    """An industry's ordered stages and complaint categories."""

    version: int = Field(ge=1)
    stages: list[Stage] = Field(min_length=1)

    @property
    def categories(self) -> list[Category]:
        """All categories in the map's order."""
        return [category for stage in self.stages for category in stage.categories]

    @model_validator(mode="after")
    def check_ids(self) -> Self:
        """Ids are unique and every exclusion names a category of this map."""
        refuse_repeats("stage", [stage.id for stage in self.stages])
        ids = [category.id for category in self.categories]
        refuse_repeats("category", ids)
        for category in self.categories:
            for exclusion in category.excludes:
                refuse_unknown(f"category {category.id!r} excludes", [exclusion.instead], ids)
        return self


class Stale(Strict):
    """How a field of the company's record can be out of date, and why."""

    cause: str = Field(min_length=1)
    how: Literal["fixed", "halved", "missing"]
    value: str | None = None

    @model_validator(mode="after")
    def check_value(self) -> Self:
        """A fixed stale field needs the value that it shows."""
        if (self.how == "fixed") != (self.value is not None):
            raise ValueError("`value` is needed with how: fixed and not allowed otherwise")
        return self


class CaseField(Strict):
    """A field of the industry's case record: what the company's own systems hold."""

    id: Slug = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    type: FieldType
    description: str = Field(min_length=1)
    fills_from: list[FactKind]
    near: list[str] = Field(
        default_factory=list[str],
        description="Words of which one must stand in the sentence of the value; empty where the kind alone decides.",
    )
    choices: dict[str, list[str]] | None = None
    stale: Stale | None = None

    @model_validator(mode="after")
    def check_choices(self) -> Self:
        """Exactly the choice fields have choices."""
        if (self.type == "choice") != (self.choices is not None):
            raise ValueError(f"field {self.id!r}: `choices` go with type: choice, and only there")
        return self


class CaseRecordForm(Strict):
    """The case record of an industry."""

    fields: list[CaseField] = Field(min_length=1)

    @model_validator(mode="after")
    def check_ids(self) -> Self:
        """Field ids are unique."""
        refuse_repeats("field", [entry.id for entry in self.fields])
        return self


class Entitlement(Strict):
    """What a policy says is owed, apart from goodwill."""

    kind: EntitlementKind
    limit_usd: float | None = Field(default=None, ge=0)


class Policy(Strict):
    """A policy that the agent may see."""

    id: Slug = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    text: str = Field(min_length=20)
    entitlement: Entitlement | None = None
    applies_to: list[Slug] = Field(min_length=1)


class PolicyBook(Strict):
    """The policies of an industry's company."""

    policies: list[Policy] = Field(min_length=1)


class AccountBook(Strict):
    """The care accounts of an industry."""

    title: str = Field(min_length=1)
    accounts: list[Account] = Field(min_length=1)


class Industry(Strict):
    """Everything that the product knows about one industry; `id` is the name of its folder."""

    id: Slug = Field(pattern=r"^[a-z][a-z0-9_]*$")
    accounts: AccountBook
    journey: JourneyMap
    case_record: CaseRecordForm
    policies: PolicyBook

    @model_validator(mode="after")
    def check_policies(self) -> Self:
        """Policies apply to categories of the map, and every category has one."""
        ids = [category.id for category in self.journey.categories]
        covered = {category for policy in self.policies.policies for category in policy.applies_to}
        refuse_unknown("a policy applies to", sorted(covered), ids)
        refuse_unknown("no policy applies to", [entry for entry in ids if entry not in covered], [])
        return self


def refuse_repeats(what: str, ids: list[str]) -> None:
    """Raise ValueError naming the ids that occur more than once."""
    repeated = [entry for entry, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(f"{what} ids must be unique; repeated: {repeated!r}")


def refuse_unknown(what: str, names: list[str], known: list[str]) -> None:
    """Raise ValueError naming the entries that are not known."""
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{what} {unknown!r}, which the journey map does not have; correct the name or add it")
