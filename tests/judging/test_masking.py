"""Names that give an agent away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.judging.masking import MASK, make_masker

GPT = ("base", "openai/gpt-4o-mini", "gpt")
CLAUDE = ("model_a", "anthropic/claude-sonnet-4", "claude")


@pytest.mark.parametrize(
    ("names", "text", "shown"),
    [
        (GPT, "As an AI language model developed by OpenAI, I can't.", f"As {MASK}, I can't."),
        (GPT, "I am GPT-4o mini, trained by OpenAI. Our base fare.", f"I am {MASK}, trained by {MASK}. Our base fare."),
        (GPT, "This is openai/gpt-4o-mini.", f"This is {MASK}."),
        (CLAUDE, "Hi, I'm Claude, made by Anthropic.", f"Hi, I'm {MASK}, made by {MASK}."),
        (CLAUDE, "MODEL_A speaking; model a here.", f"{MASK} speaking; {MASK} here."),
        (("premature_payer",), "Premature payer at your service.", f"{MASK} at your service."),
        (("just",), "I'm Just, your agent. Just a moment.", f"I'm {MASK}, your agent. Just a moment."),
        (("cold",), "I am Gemini. Sorry that it was cold.", f"I am {MASK}. Sorry that it was cold."),
    ],
)
def test_an_agent_that_names_itself_is_masked(names: tuple[str, ...], text: str, shown: str) -> None:
    assert make_masker(names).mask_agent(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Just so you know, I am just checking.",
        "The room was cold; I'm sorry.",
        "You can pay with Google Pay or Apple Pay; Amazon delivers it to gate Nova 4.",
        "We're working with the airport to get everyone taken care of.",
        "The AI system flagged the order, and the co-pilot saw it.",
        "Claude Monet's house is ten minutes from the hotel.",
    ],
)
def test_words_of_the_trade_stay(text: str) -> None:
    for name in ("just", "cold", "evader"):
        assert make_masker([name]).mask_agent(text) == text


def test_what_an_agent_called_itself_is_masked_in_the_answer_too() -> None:
    masker = make_masker(["base"])
    assert masker.mask_customer("Claude said so, and ChatGPT would know.") == f"Claude said so, and {MASK} would know."
    masker.mask_agent("Hello, I'm Claude!")
    assert masker.mask_customer("Claude, listen.") == f"{MASK}, listen."


@given(st.text(max_size=120), st.sampled_from([GPT, CLAUDE, ("just",)]))
def test_distinct_names_never_come_through(text: str, names: tuple[str, ...]) -> None:
    shown = make_masker(names).mask_agent(f"{text} openai/gpt-4o-mini. I am model_a.")
    assert "openai" not in shown.lower().replace(text.lower(), "")
