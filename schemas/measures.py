"""Records of the measures group: what statistics say about agents, judges and runs, each with its uncertainty.

Belongs here: tables that a statistics library computes. Not here: views, which are SQL files beside the code that
computes, or any value of a single conversation.
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Id, Record, Reference, Table

Interval = Literal["cluster_t", "cluster_wilson", "none"]
#: What the conversations of a row have in common.
Cut = Literal[
    "all",
    "macro",
    "prevalence",
    "industry",
    "stage",
    "category",
    "severity",
    "severity_mix",
    "style",
    "guidance",
    "disclosure",
    "customer",
    "repeat",
    "first_goodwill",
    "judge",
    "turn",
]

_EXPERIMENT = Reference(("experiment_id",), "experiment", ("experiment_id",))


class AgentMeasure(Record):
    """One row per agent, measure and cut of the conversations: its mean with what is uncertain about it."""

    table: ClassVar = Table(
        "agent_measure",
        "measures",
        ("experiment_id", "agent", "measure", "by", "value"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    agent: Id = Field(description="Agent, by its name in the experiment.")
    measure: Id = Field(description="What is measured; the names of `conversation_measure`.")
    by: Cut = Field(
        description="What the conversations are told apart by. `all`: each counts once; `macro`: mean of the means of "
        "the industries, the headline; `prevalence`: each weighs as the complaints that its scenario stands for; "
        "`severity_mix`: within a severity the mean of the means of the industries that have every severity; `judge`: "
        "scores of one judge alone; `turn`: as it stood at an agent turn, or at the end of those that were over."
    )
    value: Id = Field(description="Value of that; `all` where the conversations are not told apart.")
    n: Count = Field(description="Conversations with a value.")
    missing: Count = Field(description="Conversations without one; with `n` they are all that the cut has.")
    clusters: Count = Field(description="Clusters of source dialogues among the conversations with a value.")
    mean: float | None = Field(description="Mean; of a rate the share. Missing where nothing has a value.")
    sd: float | None = Field(ge=0, description="Standard deviation over conversations (ddof 1); missing below two.")
    standard_error: float | None = Field(
        ge=0, description="Standard error of the mean, clustered by source dialogue; missing below two clusters."
    )
    low: float | None = Field(description="Lower end of the 95% interval; missing where there is none.")
    high: float | None = Field(description="Upper end of the 95% interval; missing where there is none.")
    interval: Interval = Field(
        description="How the interval was made: by t with one less than the clusters as degrees of freedom, for a rate "
        "by Wilson at n over the design effect, or none below two clusters and where the error of a mean is 0."
    )
    design_effect: float | None = Field(
        ge=0,
        description="Squared standard error over that of as many independent conversations; missing where either is.",
    )
    label: str = Field(
        description="What a reader must know beside the figure, joined by `; `: judge not validated, rule engine, "
        "scripted agent, self-play, judge refused; empty where nothing."
    )
