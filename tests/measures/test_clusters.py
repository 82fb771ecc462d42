"""Clusters are what links join, however long the chain: dialogues of one author, and near-duplicates."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.scenarios.allocation import find_clusters
from servicebench_data.scenarios.members import Member
from tests.measures.talks import Talks

#: Author and group of near-duplicates of each candidate.
DRAWN = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=14)


def find_reached(drawn: list[tuple[int, int]], start: int) -> set[int]:
    """Candidates that can be reached from one by steps to the same author or the same group."""
    reached, open_ = {start}, [start]
    while open_:
        author, group = drawn[open_.pop()]
        near = {place for place, (other, kind) in enumerate(drawn) if other == author or kind == group} - reached
        reached |= near
        open_ += near
    return reached


@given(DRAWN)
def test_two_candidates_share_a_cluster_exactly_where_a_chain_of_links_joins_them(drawn: list[tuple[int, int]]) -> None:
    members = [
        Member(f"s{n:02}", "airline", "delay", 1, f"author {author}", "", "") for n, (author, _) in enumerate(drawn)
    ]
    found = find_clusters(members, {f"s{n:02}": f"group {group}" for n, (_, group) in enumerate(drawn)})
    for start in range(len(drawn)):
        same = {place for place in range(len(drawn)) if found[f"s{place:02}"] == found[f"s{start:02}"]}
        assert same == find_reached(drawn, start)


def test_conversations_on_linked_scenarios_are_one_cluster_whatever_agent_and_style(tmp_path: Path) -> None:
    talks = Talks()
    for scenario_id, cluster_id in (("s1", "k1"), ("s2", "k1"), ("s3", "k3")):
        talks.scenario(scenario_id, cluster_id=cluster_id)
        for agent in ("one", "other"):
            talks.talk(f"{scenario_id}-{agent}", scenario_id=scenario_id, agent=agent)
    query = "SELECT cluster_id, count(*) FROM measures.conversation_fact GROUP BY ALL ORDER BY ALL"
    assert talks.ask(tmp_path, query) == [("k1", 4), ("k3", 2)]
