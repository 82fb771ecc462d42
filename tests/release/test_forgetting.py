"""What people and models said about forgotten dialogues goes with them, and nothing else does."""

from schemas.dialogues import Dialogue, Turn
from schemas.models import Call
from servicebench_data.lake.forget import add_to_forget_list
from servicebench_data.lake.store import Lake
from servicebench_data.models.ledger import Ledger
from servicebench_data.release.forgetting import Forgotten, forget_traces
from servicebench_data.review.overrides import merge_overrides, read_overrides
from servicebench_data.scenarios.parts import make_scenario_id
from tests.review.items import decide
from tests.rows import plain_row
from tests.tables import Tables, make_tables, store_tables


def make_call(number: int, item_id: str) -> Call:
    row = plain_row(Call, number, status="answered", error=None, item_id=item_id, task="events", model="m")
    return Call.model_validate(row)


def test_decisions_and_calls_about_forgotten_dialogues_are_removed(lake: Lake) -> None:
    tables = make_tables()
    store_tables(lake, tables)
    gone, kept = (row.dialogue_id for row in tables[Dialogue][:2] if isinstance(row, Dialogue))
    url = f"sqlite:///{lake.home / 'ledger.sqlite'}"
    ledger = Ledger(url)
    calls = [make_call(number, make_scenario_id(name)) for number, name in enumerate((gone, kept))]
    ledger.record(calls)
    ledger.close()
    merge_overrides(lake.overrides, [decide(gone), decide(kept), decide(make_scenario_id(gone))])
    post = next(post for dialogue, post in list_posts(tables) if dialogue == gone)

    assert forget_traces(lake, add_to_forget_list(lake, [], []), url) == Forgotten(0, 0, 0)
    assert forget_traces(lake, add_to_forget_list(lake, [post], []), url) == Forgotten(1, 2, 1)
    assert [entry.item_id for entry in read_overrides(lake.overrides, "pot")] == [kept]
    again = Ledger(url)
    assert set(again.find([call.key for call in calls])) == {calls[1].key}
    again.close()


def test_without_a_ledger_there_is_nothing_to_remove_from_it(lake: Lake) -> None:
    store_tables(lake, make_tables())
    forget = add_to_forget_list(lake, [list_posts(make_tables())[0][1]], [])
    assert forget_traces(lake, forget, f"sqlite:///{lake.home / 'none.sqlite'}") == Forgotten(1, 0, 0)
    assert not (lake.home / "none.sqlite").exists()


def list_posts(tables: Tables) -> list[tuple[str, str]]:
    """Dialogue and first post of every turn."""
    return [(row.dialogue_id, row.post_ids[0]) for row in tables[Turn] if isinstance(row, Turn)]
