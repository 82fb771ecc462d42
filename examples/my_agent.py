"""A service agent of one's own as a Python function; `your-own-agent.yaml` plays it.

It is meant to be replaced: what counts is what the function is given and what it returns. It asks first, and then
settles what the policies give, with a little goodwill on top.
"""

from collections.abc import Mapping, Sequence
from typing import Any

GOODWILL = 25.0


def answer(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the customer's last message.

    Args:
        turn: What the agent knows: `brand`, `industry`, `case_record`, `policies`, `goodwill_limit_usd`, `guidance`,
            `conversation` (role and text of each message, the customer's comes last), `session`, `seed`.

    Returns:
        The message, the offers that it makes, and what it does.
    """
    own = [said for said in turn["conversation"] if said["role"] == "agent"]
    if not own:
        return ask(turn)
    if len(own) == 1:
        return settle(turn)
    return {"message": f"All of that stands, and I will confirm it to you in writing by tomorrow. {turn['brand']}"}


def ask(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The first message: it names the matter and asks for what the record does not show."""
    heard = turn["conversation"][-1]["text"].split(".")[0].strip()
    message = (
        f'I am sorry. You write "{heard}", and that should not have happened. Before I decide anything: what happened '
        "then, and what were you told?"
    )
    return {"message": message, "offers": [], "acts": [{"kind": "apologised"}, {"kind": "asked", "about": "event"}]}


def settle(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The second message: what is owed, and goodwill within the limit."""
    goodwill = min(GOODWILL, turn["goodwill_limit_usd"])
    owed = find_owed(turn["policies"])
    offers = [{"kind": "goodwill_cash", "amount_usd": goodwill, "description": "credit for the trouble"}]
    words = f"I have added a credit of ${goodwill:g} for the trouble."
    if owed is not None:
        description = f"{owed['entitlement_kind']} under {owed['title']}"
        offers.insert(0, {"kind": "entitlement", "policy_id": owed["policy_id"], "description": description})
        words = (
            f'Under our rule "{owed["title"]}" you are owed a {owed["entitlement_kind"]}, and it is on its way. {words}'
        )
    return {"message": f"Thank you for telling me. {words}", "offers": offers, "acts": [{"kind": "offered"}]}


def find_owed(policies: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The first policy that gives something."""
    return next((policy for policy in policies if policy["entitlement_kind"] not in {None, "information"}), None)
