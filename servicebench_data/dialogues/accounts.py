"""The care accounts whose dialogues are rebuilt, and the posts and authors that must be forgotten.

Belongs here: both parameters of this group and how the engine sees them. Not here: reading an
industry's folder (`servicebench_data/industries.py`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb

from schemas.industry import Industry


@dataclass(frozen=True)
class CareAccount:
    """A care account on X.

    Attributes:
        handle: Handle without @; matched without regard to case, written as given.
        industry: Industry of the account.
        is_sample: Whether it is a fictional account of the bundled sample.
        words: Brand and other words for it, which are no names of people.
    """

    handle: str
    industry: str
    is_sample: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forget:
    """Posts and authors that every later build leaves out.

    Attributes:
        post_ids: Ids of posts.
        author_ids: Handles or numeric ids of authors; handles are matched without regard to case.
    """

    post_ids: frozenset[str] = field(default_factory=frozenset[str])
    author_ids: frozenset[str] = field(default_factory=frozenset[str])


def check_accounts(accounts: Sequence[CareAccount]) -> None:
    """Refuse an empty list and a handle that is listed twice."""
    if not accounts:
        raise ValueError("no care account is configured; add at least one to an industry's accounts.yaml")
    seen: set[str] = set()
    for account in accounts:
        handle = account.handle.lower()
        if handle in seen:
            raise ValueError(f"care account {account.handle!r} is listed twice; keep it in one industry")
        seen.add(handle)


def register_accounts(connection: duckdb.DuckDBPyConnection, accounts: Sequence[CareAccount]) -> None:
    """Create the temporary table `care_account(account_index, handle_key, account, industry, is_sample)`."""
    check_accounts(accounts)
    ordered = sorted(accounts, key=get_key)
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE care_account AS
        SELECT unnest(range(len($keys))) AS account_index, unnest($keys) AS handle_key, unnest($handles) AS account,
               unnest($industries) AS industry, unnest($samples) AS is_sample
        """,
        {
            "keys": [get_key(account) for account in ordered],
            "handles": [account.handle for account in ordered],
            "industries": [account.industry for account in ordered],
            "samples": [account.is_sample for account in ordered],
        },
    )


def register_forget(connection: duckdb.DuckDBPyConnection, forget: Forget) -> None:
    """Create the temporary tables `forgotten_post(post_id)` and `forgotten_author(author_key)`."""
    store_words(connection, "forgotten_post", "post_id", forget.post_ids)
    authors = {author.lstrip("@").lower() for author in forget.author_ids}
    store_words(connection, "forgotten_author", "author_key", authors)


def store_words(connection: duckdb.DuckDBPyConnection, name: str, column: str, words: Iterable[str]) -> None:
    """Create a temporary table of one text column in sorted order."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT unnest(CAST($words AS VARCHAR[])) AS {column}",
        {"words": sorted(words)},
    )


def get_key(account: CareAccount) -> str:
    """Return the form in which a handle is compared."""
    return account.handle.lower()


def list_accounts(industries: Iterable[Industry], *, is_sample: bool) -> list[CareAccount]:
    """The fictional accounts of the industries, or the real ones: a build never has both."""
    return [
        CareAccount(account.handle, industry.id, account.is_sample, (account.brand, *account.aliases))
        for industry in industries
        for account in industry.accounts.accounts
        if account.is_sample == is_sample
    ]
