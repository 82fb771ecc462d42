"""Conversations in literal rows, with the facts over them: nobody ever held any of them.

Belongs here: what the tests of facts and means share. Not here: tests, or ratings by people (`people.py`).
"""

from typing import Any

from schemas.judging import Judgment, Score
from schemas.scenarios import Fact, Scenario
from schemas.simulation import Conversation, ExperimentRow, FactDisclosure, MessageRow, OfferRow, SimulatorFault
from servicebench_data.simulation.ending import ENDS
from tests.measures.stored import DIMENSIONS, VERSION, Stored

EXPERIMENT = "try"


class Talks(Stored):
    """Rows of an experiment, added one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.put(ExperimentRow, experiment_id=EXPERIMENT)

    def scenario(self, scenario_id: str = "s1", **given: Any) -> str:
        """A released scenario, alone in its cluster."""
        shared = {"industry": "airline", "stage_id": "before", "category_id": "delay", "severity": "low"}
        drawn = {"cluster_id": f"k-{scenario_id}", "inclusion_probability": 1.0, "goodwill_limit_usd": 200.0}
        self.put(Scenario, **{**shared, **drawn, "scenario_id": scenario_id, "split": "evaluation", **given})
        return scenario_id

    def know(self, fact_id: str, *, scenario_id: str = "s1", is_inferred: bool = False, is_secret: bool = True) -> None:
        """A fact of the customer, secret where the company cannot know it."""
        self.put(Fact, scenario_id=scenario_id, fact_id=fact_id, is_customer_only=is_secret, is_inferred=is_inferred)

    def talk(self, name: str, *, end: str = "accepted", messages: int = 4, **given: Any) -> str:
        """A conversation of so many messages; the customer begins, and each message has two words."""
        shared: dict[str, Any] = {
            "scenario_id": "s1", "industry": "airline", "agent": "ours", "agent_made_by": "openai/gpt",
            "customer": "rules", "style": "passive_cold", "disclosure": "progressive", "guidance": "none", "repeat": 0,
            "is_self_play": False, "exchanges": messages // 2, "cost_usd": 0.5,
        }  # fmt: skip
        kind: Any = end
        self.put(
            Conversation,
            **{**shared, **given},
            conversation_id=name,
            experiment_id=EXPERIMENT,
            end=ENDS[kind][0],
            end_detail=end,
            is_valid=end != "simulator_fault",
        )
        for place in range(messages):
            self.say(name, place, "two words")
        return name

    def say(self, name: str, message_index: int, text: str) -> None:
        """A message."""
        role = "agent" if message_index % 2 else "customer"
        self.put(MessageRow, conversation_id=name, message_index=message_index, role=role, text=text)

    def offer(self, name: str, at: str, usd: float | None, **given: Any) -> None:
        """An offer at `message_index:offer_index`."""
        message_index, offer_index = (int(part) for part in at.split(":"))
        shared = {"kind": "goodwill_cash", "relation": "new", "raises_offer": None, "is_over_limit": False}
        place = {"conversation_id": name, "message_index": message_index, "offer_index": offer_index}
        self.put(OfferRow, **{**shared, **given, **place, "amount_usd": usd})

    def tell(self, name: str, fact_id: str, message_index: int, disclosed_by: str) -> None:
        """A fact comes out."""
        self.put(
            FactDisclosure,
            conversation_id=name,
            fact_id=fact_id,
            message_index=message_index,
            disclosed_by=disclosed_by,
        )

    def judge(self, name: str, scores: tuple[int, int, int], judge: str = "gpt", **given: Any) -> None:
        """A judge's scores on the three dimensions."""
        shared = {"judge_made_by": "openai/gpt", "grading_version": VERSION, "is_own_family": False}
        for dimension, score in zip(DIMENSIONS, scores, strict=True):
            row = {"conversation_id": name, "judge": judge, "dimension": dimension, "score": score, "status": "scored"}
            self.put(Score, **{**shared, **row, "cost_usd": 0.25, **given})

    def settle(self, name: str, scores: tuple[float, float, float], **given: Any) -> None:
        """An ensemble's means."""
        named = dict(zip(DIMENSIONS, scores, strict=True))
        shared = {"ensemble": "without_own_family", "grading_version": VERSION, "judges": ["gpt"]}
        self.put(Judgment, **{**shared, **named, "total": sum(scores) / 3, "conversation_id": name, **given})

    def stumble(self, name: str, kind: str, *, is_mended: bool) -> None:
        """A fault of the simulator."""
        place = len(self.rows[SimulatorFault])
        self.put(SimulatorFault, conversation_id=name, message_index=place, kind=kind, is_mended=is_mended)
