"""Hand-written dialogues in the shape of real ones, and the airline that they are about."""

from functools import cache

from benchmarks.grounding import make_turns as join_posts
from servicebench_data.industries import load_industry
from servicebench_data.scenarios.parts import Knowledge, Source, prepare
from servicebench_data.scenarios.reading import SourceTurn


@cache
def knowledge() -> Knowledge:
    """The airline industry, prepared."""
    return prepare(load_industry("airline"))


def account() -> str:
    """Handle of the airline's fictional account."""
    return next(entry.handle for entry in knowledge().industry.accounts.accounts if entry.is_sample)


def make_turns(*posts: tuple[str, str]) -> tuple[SourceTurn, ...]:
    """Turns from (role, text) pairs; consecutive posts of one role become one turn."""
    return join_posts(posts)


def make_source(*posts: tuple[str, str], category_id: str | None = None) -> Source:
    """A complaint dialogue from (role, text) pairs."""
    category = category_id or next(iter(knowledge().categories))
    return Source("d1", account(), category, make_turns(*posts))


LOST_BAG = (
    ("customer", "You guys lost my bag on flight 1234 from Denver to Austin on Tuesday. Been waiting 3 hours!!"),
    ("customer", "The gate agent told me it was never loaded."),
    ("account", "Please DM us your confirmation number. ^AB"),
    (
        "customer",
        "It is [booking-1]. I paid $50 for 2 bags. My wedding is tomorrow and I am in tears. I want a refund.",
    ),
    ("account", "We are sorry to hear that."),
)
