import pytest

from schemas.scenarios import Severity
from servicebench_data.industries import load_industries
from servicebench_data.scenarios.background import choose_feeling
from servicebench_data.scenarios.evidence import gather
from servicebench_data.scenarios.insults import name_insult
from servicebench_data.scenarios.remedies import tell_remedy
from servicebench_data.scenarios.severity import weigh_drivers

LEVELS = [
    ("The driver hit the car in front. The customer strained their lower back.", "high"),
    ("The customer missed their sister's wedding.", "high"),
    ("The customer was harassed by the driver.", "high"),
    ("The bed had bed bugs.", "high"),
    ("The airline charged the customer $640.", "high"),
    ("The customer was stranded overnight with an infant.", "high"),
    ("The customer missed their connection.", "medium"),
    ("The customer slept on the floor.", "medium"),
    ("The airline left the customer's medication behind.", "medium"),
    ("The customer was charged twice.", "medium"),
    ("There was no entertainment during a 4 hour flight.", "low"),
    ("The app crashed.", "low"),
]


@pytest.mark.parametrize(("text", "level"), LEVELS)
def test_loss_time_safety_and_vulnerability_move_the_level(text: str, level: str) -> None:
    total = sum(weigh_drivers(text).values())
    assert ("high" if total >= 3 else "medium" if total else "low") == level


def rate(number: int, *drivers: str, level: str = "low") -> Severity:
    return Severity.model_validate(
        {
            "industry": "airline",
            "scenario_id": f"s{number}",
            "made_by": "offline",
            "level": level,
            "reason": "Low.",
            "drivers": list(drivers),
        }
    )


def test_feelings_and_insults_vary_and_are_stable() -> None:
    feelings = {choose_feeling(rate(number, *drivers)) for number in range(200) for drivers in ([], ["loss"], ["time"])}
    assert len(feelings) >= 12
    assert choose_feeling(rate(1, "loss")) == choose_feeling(rate(1, "loss"))
    insults = {name_insult(rate(number), "departure_delays", is_loss_money=False) for number in range(100)}
    assert len(insults) >= 3
    assert insults.isdisjoint(name_insult(rate(number), "departure_delays", is_loss_money=True) for number in range(50))


def test_our_own_sentences_name_no_value() -> None:
    evidence = gather(["nothing"], [])
    categories = [category.id for industry in load_industries() for category in industry.journey.categories]
    texts = {name_insult(rate(n), category, is_loss_money=False) for n in range(12) for category in categories}
    assert [text for text in texts if list(evidence.find_faults(text))] == []


@pytest.mark.parametrize(
    ("remedy", "told"),
    [
        ("refund of the seat fee", "The customer would accept a refund of the seat fee."),
        ("explanation of the rules", "The customer would accept an explanation of the rules."),
        ("honour the quoted fare", "The customer would accept an offer to honour the quoted fare."),
        ("trip fare recalculated", "The customer would accept having the trip fare recalculated."),
        ("reseat together", "The customer would accept an offer to reseat together."),
        ("miles for the trouble", "The customer would accept miles for the trouble."),
    ],
)
def test_a_remedy_is_told_as_a_sentence(remedy: str, told: str) -> None:
    assert tell_remedy(remedy) == told
