"""Which closed facts a message opens, from what it asks for and whether it takes the customer seriously.

Belongs here: our definition of opening, the same for rules and model. Not here: reading the message.

A fact that comes out when asked opens when it is asked for, or by an open question, which opens at most two, the first
in order. A fact that comes out only when the customer feels taken seriously opens when the message acknowledges the
harm and also apologises, checks the facts or offers a path, and provokes in nothing; asking alone does not open it.
Facts of one statement are told in one breath, so they open together, or not at all where they would be too many.
"""

from collections.abc import Iterator, Mapping, Sequence

from schemas.simulation import Flag
from servicebench_data.simulation.turns import KnownFact, Opening

#: Most facts that one open question opens.
MAX_BY_OPEN_QUESTION = 2


def open_facts(
    closed: Sequence[KnownFact], flags: Mapping[Flag, str], asked: Mapping[str, str], open_question: str | None
) -> tuple[Opening, ...]:
    """The openings of a message, in the order of the facts.

    Args:
        closed: Facts that are closed, in order.
        flags: Quote of each flag that is set.
        asked: Quote of the question by the id of each fact that it asks for.
        open_question: Quote of an open question; None where there is none.
    """
    groups = group_statements([fact for fact in closed if fact.disclosure != "when_heard"])
    opened = {fact_id: Opening(fact_id, "asked", quote) for fact_id, quote in list_asked(groups, asked)}
    if open_question is not None:
        rest = [group for group in groups if group[0].fact_id not in opened]
        opened |= {fact.fact_id: Opening(fact.fact_id, "open_question", open_question) for fact in pick_first(rest)}
    if is_taken_seriously(flags):
        quote = flags["acknowledges_harm"]
        heard = (fact for fact in closed if fact.disclosure == "when_heard")
        opened |= {fact.fact_id: Opening(fact.fact_id, "earned", quote) for fact in heard}
    return tuple(opened[fact.fact_id] for fact in closed if fact.fact_id in opened)


def is_taken_seriously(flags: Mapping[Flag, str]) -> bool:
    """Whether the customer feels taken seriously."""
    return (
        "acknowledges_harm" in flags
        and "provokes" not in flags
        and bool({"apologises", "checks_facts", "offers_path"} & flags.keys())
    )


def group_statements(facts: Sequence[KnownFact]) -> list[list[KnownFact]]:
    """Facts by statement, in the order of each group's first."""
    groups: dict[str, list[KnownFact]] = {}
    for fact in facts:
        groups.setdefault(fact.statement, []).append(fact)
    return list(groups.values())


def list_asked(groups: Sequence[Sequence[KnownFact]], asked: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Id and quote of all facts of groups of which one is asked for."""
    for group in groups:
        quote = next((asked[fact.fact_id] for fact in group if fact.fact_id in asked), None)
        if quote is not None:
            yield from ((fact.fact_id, asked.get(fact.fact_id, quote)) for fact in group)


def pick_first(groups: Sequence[Sequence[KnownFact]]) -> list[KnownFact]:
    """Facts of the first groups that fit into what an open question opens."""
    picked: list[KnownFact] = []
    for group in groups:
        if len(picked) + len(group) <= MAX_BY_OPEN_QUESTION:
            picked += group
    return picked
