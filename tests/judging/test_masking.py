"""Names that give an agent away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.judging.masking import MASK, make_masker

#: What agents may be called: words that ordinary sentences hold, alone or with blanks between them.
AGENTS = (
    ("my_agent:answer",), ("customer_care:reply",), ("care",), ("just",), ("help_desk",), ("support",), ("fair_agent",),
    ("cold",), ("premature_payer",), ("quick_refund", "my_agents.refunds:reply"), ("option_2",), ("agent_2",),
    ("tuned", "openai/customer-service", "customer-service"), ("plain", "openai/gpt-4o-mini", "gpt"), ("sorry",),
    ("model_a", "anthropic/claude-sonnet-4", "claude"), ("http://localhost:8080/reply",), ("step_1",),
    ("dated", "openai/2025-06-01"),
)  # fmt: skip
ORDINARY = (
    "My agent at the gate was rude, and no agent 2 came.",
    "Our customer care team will call you; customer service did not.",
    "Your customer-service line was closed, so I called support and they hung up.",
    "I have asked Customer Care, and they pay on Friday.",
    "We CARE about you.",
    "WE CARE, AND WE ARE SORRY. THIS IS JUST AT THE DOOR.",
    "Care, honesty and speed: that is what we owe you.",
    "Just so you know, I am just checking. It's just at the gate.",
    "Customer service called me back.",
    "This is customer service at its worst.",
    "Quick refund: $20 to your card. Refund by noon.",
    "Option 2 is a refund, option 1 a voucher. Step 1: tell me which.",
    "A fair agent would have asked; a help desk should.",
    "The model a friend of mine has is cold, too.",
    "As your agent, I have asked the help desk.",
    "I'm sorry, order 8080 of 2025-06-01 is still open.",
    "Cold food is no good. I am sorry - we care.",
)

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


@pytest.mark.parametrize("names", AGENTS)
def test_ordinary_sentences_stay_whatever_the_agent_is_called(names: tuple[str, ...]) -> None:
    masker = make_masker(names)
    assert [masker.mask_agent(text) for text in ORDINARY] == list(ORDINARY)
    assert [masker.mask_customer(text) for text in ORDINARY] == list(ORDINARY)


@given(st.lists(st.sampled_from(ORDINARY), max_size=4), st.sampled_from(AGENTS))
def test_what_stands_around_a_name_stays(around: list[str], names: tuple[str, ...]) -> None:
    whole = " ".join([f"My name is {names[0]}.", *around])
    assert make_masker(names).mask_agent(whole) == whole.replace(names[0], MASK, 1)


@pytest.mark.parametrize(
    "said",
    ["I am {}.", "I'm {} and I'll help.", "My name is {}, how can I help?", "This is {} from Brightwing.",
     "As {}, I can pay this.", "{} here, sorry.", "Good morning. {} speaking!", "You're chatting with {}.",
     "It comes by noon.\nBest,\n{}", "It comes by noon. — {}"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["my_agent", "customer_care", "care", "premature_payer", "agent_2", "fair_agent"])
def test_an_agent_that_says_its_name_is_masked_however_it_is_written(said: str, name: str) -> None:
    for written in (name.replace("_", " ").title(), name.replace("_", " ").capitalize(), name):
        if written.islower() and "_" not in written:
            continue  # a word that goes on
        masker = make_masker([name])
        assert masker.mask_agent(said.format(written)) == said.format(MASK)
        assert masker.mask_customer(f"Thank you, {written}.") == f"Thank you, {MASK}."


def test_a_word_by_which_an_agent_called_itself_stays_a_word_in_the_answer() -> None:
    masker = make_masker(["just"])
    assert masker.mask_agent("I'm Just, your agent.") == f"I'm {MASK}, your agent."
    assert masker.mask_customer("Just tell me when, Just.") == f"Just tell me when, {MASK}."


@given(st.text(max_size=120), st.sampled_from([GPT, CLAUDE, ("just",)]))
def test_distinct_names_never_come_through(text: str, names: tuple[str, ...]) -> None:
    shown = make_masker(names).mask_agent(f"{text} openai/gpt-4o-mini. I am model_a.")
    assert "openai" not in shown.lower().replace(text.lower(), "")
