"""The real posts: known shapes by id, and what may not be left in any text."""

import re

import pytest

from servicebench_data.dialogues.accounts import Forget, list_accounts
from servicebench_data.dialogues.dialogues import DialogueFiles, build_dialogues
from servicebench_data.dialogues.posts import PostFiles, load_posts
from servicebench_data.industries import load_industries
from servicebench_data.lake.database import Limits
from tests.conftest import SHARED_DATA
from tests.dialogues.helpers import Built, read

pytestmark = pytest.mark.real
LEFTOVER = re.compile(
    r"@\d{3,}|\S@\S+\.\w|https?://|&(?:amp|lt|gt);|\(?\b[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}\b|__email__"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("real")
    accounts = list_accounts(load_industries(), is_sample=False)
    limits = Limits(1.0, 2, folder / "scratch")
    source = SHARED_DATA / "posts" / "twcs_union.csv.gz"
    files = PostFiles(folder / "post.parquet", folder / "quarantine.parquet")
    loaded = load_posts([source], files, accounts=accounts, forget=Forget(), limits=limits)
    made = DialogueFiles(folder / "turn.parquet", folder / "dialogue.parquet")
    counts = build_dialogues(files.posts, made, accounts=accounts, limits=limits)
    return Built(read(files.posts), read(files.quarantine), read(made.turns), read(made.dialogues), loaded, counts)


def list_turns(built: Built, post: int) -> list[list[str]]:
    """Posts of the turns of the one dialogue that holds a post."""
    owners = {turn["dialogue_id"] for turn in built.turns if str(post) in turn["post_ids"]}
    assert len(owners) == 1
    return [turn["post_ids"] for turn in built.turns if turn["dialogue_id"] in owners]


def test_every_row_is_accounted_for(built: Built) -> None:
    assert built.loaded.rows == 31_640 == len(built.posts) + len(built.quarantine)
    assert built.counts.threads.trees_kept == 363
    assert {"airline", "hotel", "restaurant", "retail", "ride_hailing_delivery"} == set(built.counts.industries)


def test_account_opens_and_answers_some(built: Built) -> None:
    assert list_turns(built, 2052) == [["2053"], ["2052"], ["2051"], ["2050"], ["2049"]]
    assert list_turns(built, 7509)[0] == ["7511"]
    assert list_turns(built, 4243) == [["4243"], ["4242"]]


def test_branches_are_one_dialogue(built: Built) -> None:
    posts = [post for turn in list_turns(built, 3103) for post in turn]
    assert list_turns(built, 3103)[0] == ["3103", "3102", "3091"]
    assert len(posts) == len(set(posts))
    assert {"3089", "3090", "3092", "3093", "3098", "3101"} <= set(posts)


def test_split_posts_stand_together(built: Built) -> None:
    owner = next(turn for turn in built.turns if "804" in turn["post_ids"])
    assert owner["post_ids"].index("808") + 1 == owner["post_ids"].index("804")
    assert "2/2" not in owner["text"]


def test_nothing_is_left_that_must_be_masked(built: Built) -> None:
    texts = [turn["text"] for turn in built.turns]
    texts += [dialogue[name] for dialogue in built.dialogues for name in ("opening", "customer_text")]
    assert [LEFTOVER.search(text).group() for text in texts if LEFTOVER.search(text)] == []  # pyright: ignore[reportOptionalMemberAccess]


def test_offsets_stand_at_starts(built: Built) -> None:
    for turn in built.turns:
        assert len(turn["post_ids"]) == len(turn["post_offsets"])
        assert turn["post_offsets"][0] == 0
        assert all(
            turn["text"][start - 1] == "\n" for start in turn["post_offsets"][1:] if 0 < start < len(turn["text"])
        )
