"""Records of the measures group that statistics beyond means make: comparisons, rankings, judges, variance.

Belongs here: what those tables hold. Not here: means with their intervals (`measures.py`), or any formula.

Every number that cannot be computed from what there is (one agent, one judge, one repeat, one cluster) is missing, and
the label says why in words.
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.judging import Dimension
from schemas.records import Count, Id, Record, Reference, Share, Table

JusticeMeasure = Literal[Dimension, "total"]

_EXPERIMENT = Reference(("experiment_id",), "experiment", ("experiment_id",))


class AgentContrast(Record):
    """One row per measure, slice and pair of agents: the difference on the cells that both played.

    A cell is a scenario with a style, a disclosure and a customer; its value is the mean over the repeats.
    """

    table: ClassVar = Table(
        "agent_contrast",
        "measures",
        ("experiment_id", "measure", "by", "value", "agent_a", "agent_b"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    measure: Id = Field(description="What is compared.")
    by: Id = Field(description="What the conversations are sliced by; `macro` is the mean over industries.")
    value: Id = Field(description="Which slice; `all` where there is one.")
    agent_a: Id = Field(description="First agent, by name.")
    agent_b: Id = Field(description="Second agent.")
    n: Count = Field(description="Cells with a value for both.")
    clusters: Count = Field(description="Source dialogues among them.")
    mean_a: float | None = Field(description="Mean of the first agent over those cells.")
    mean_b: float | None = Field(description="Mean of the second.")
    difference: float | None = Field(description="The first mean less the second.")
    sd: float | None = Field(ge=0, description="Standard deviation of the differences over cells.")
    standard_error: float | None = Field(ge=0, description="Standard error of the difference, by clusters.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    t: float | None = Field(description="The difference over its standard error.")
    p: float | None = Field(ge=0, le=1, description="Two-sided p, by Student's t over the clusters.")
    p_adjusted: float | None = Field(ge=0, le=1, description="p after the adjustment; missing where there is none.")
    adjustment: Literal["holm", "benjamini_hochberg", "none"] = Field(
        description="How p is adjusted within the family: by Holm, of stages and categories by Benjamini and Hochberg."
    )
    family: Id = Field(description="Tests that are adjusted together; `exploratory` ones are not adjusted.")
    correlation: float | None = Field(ge=-1, le=1, description="Correlation of the two agents over the cells.")
    is_primary: bool = Field(description="Whether it is the primary outcome: macro total justice.")
    is_comparable: bool = Field(description="Whether the invalid shares differ by at most 3 points.")
    invalid_a: Share | None = Field(description="Share of the first agent's conversations without a result.")
    invalid_b: Share | None = Field(description="Share of the second's.")
    worst_case: float | None = Field(
        description="Lowest that the difference could be if conversations without a value had any on the scale."
    )
    best_case: float | None = Field(description="Highest that it could be.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class CategoryRanking(Record):
    """One row per agent and complaint category: mean total justice, shrunken towards the agent's mean, and its rank."""

    table: ClassVar = Table(
        "category_ranking",
        "measures",
        ("experiment_id", "agent", "industry", "category_id"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    agent: Id = Field(description="Agent, by name; `all` over all of them.")
    industry: Id = Field(description="Industry of the category.")
    category_id: Id = Field(description="Category of its journey map.")
    n: Count = Field(description="Conversations with a score.")
    clusters: Count = Field(description="Source dialogues among them.")
    mean: float = Field(description="Mean total justice.")
    sd: float | None = Field(ge=0, description="Standard deviation over conversations.")
    standard_error: float | None = Field(ge=0, description="Its standard error, pooled over the categories.")
    weight: Share | None = Field(description="Share of the mean in the shrunken one; the rest is the common mean's.")
    shrunken: float | None = Field(description="Empirical Bayes estimate.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    rank: int | None = Field(ge=1, description="Place by the shrunken mean, 1 the highest; only from 10 conversations.")
    ranked: Count = Field(description="Categories of the agent that have a rank.")
    difference: float | None = Field(description="The mean less the agent's mean over all conversations.")
    p: float | None = Field(ge=0, le=1, description="Two-sided p of that difference.")
    p_adjusted: float | None = Field(ge=0, le=1, description="p by Benjamini and Hochberg, within the agent.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class CumulativeOutcome(Record):
    """One row per agent, turn and outcome: share of conversations that had ended so by then, as competing risks."""

    table: ClassVar = Table(
        "cumulative_outcome",
        "measures",
        ("experiment_id", "agent", "turn", "outcome"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    agent: Id = Field(description="Agent, by name.")
    turn: int = Field(ge=1, description="Exchange, from 1.")
    outcome: Literal["agreed", "disengaged", "failed"] = Field(
        description="Agreement, disengagement, or a failure of the agent; what the cap ends is censored there."
    )
    incidence: Share = Field(description="Cumulative incidence by Aalen and Johansen.")
    low: Share | None = Field(description="Lower end of its 95% interval.")
    high: Share | None = Field(description="Upper end.")
    interval: Literal["cluster_bootstrap", "cluster_wilson", "none"] = Field(
        description="By resampled source dialogues; by Wilson's formula at their number where all or none ended so."
    )
    at_risk: Count = Field(description="Conversations that had not ended before this turn.")
    n: Count = Field(description="Conversations with a result.")
    clusters: Count = Field(description="Source dialogues among them.")


class LengthEffect(Record):
    """One row per justice measure: its association with the length of the agent's messages."""

    table: ClassVar = Table(
        "length_effect", "measures", ("experiment_id", "measure"), (_EXPERIMENT,), may_be_empty=True, per="experiment"
    )

    experiment_id: Id = Field(description="Experiment.")
    measure: JusticeMeasure = Field(description="Dimension or total.")
    beta: float | None = Field(
        description="Standard deviations of the score for one of log mean words per message, the agent, the scenario "
        "in its style and the number of turns held fixed. An association, not an effect."
    )
    standard_error: float | None = Field(ge=0, description="Its standard error, by source dialogues.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    t: float | None = Field(description="beta over its standard error.")
    p: float | None = Field(ge=0, le=1, description="Two-sided p.")
    p_adjusted: float | None = Field(ge=0, le=1, description="p by Holm over the dimensions and the total.")
    n: Count = Field(description="Conversations that enter: those whose scenario and style have at least two.")
    clusters: Count = Field(description="Source dialogues among them.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class PaddingEffect(Record):
    """One row per judge, grading version and justice measure: what more words that say nothing do to its scores.

    An experiment, where `length_effect` is an association: the judge scored drawn conversations twice, as they are and
    with every message of the agent longer by half.
    """

    table: ClassVar = Table(
        "padding_effect",
        "measures",
        ("experiment_id", "judge", "grading_version", "measure"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by name.")
    judge_made_by: Id = Field(description="Model of the judge; `offline` for the rule engine.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules.")
    measure: JusticeMeasure = Field(description="Dimension or total.")
    n: Count = Field(description="Pairs: drawn conversations that the judge scored both ways.")
    missing: Count = Field(description="Drawn conversations without a score on either side.")
    clusters: Count = Field(description="Source dialogues among the pairs.")
    words_ratio: float | None = Field(
        ge=1, description="Words of the agent's messages with padding for one without, mean over the pairs."
    )
    original_mean: float | None = Field(ge=1, le=5, description="Mean score of the pairs without padding.")
    padded_mean: float | None = Field(ge=1, le=5, description="Mean score with padding.")
    shift: float | None = Field(description="The padded mean less the original one, in points.")
    sd: float | None = Field(ge=0, description="Standard deviation of the pairs' shifts.")
    standard_error: float | None = Field(ge=0, description="Standard error of the shift, by source dialogues.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class JudgeAdvantage(Record):
    """One row per judge, agent and justice measure: by how much this judge favours this agent beyond the others."""

    table: ClassVar = Table(
        "judge_advantage",
        "measures",
        ("experiment_id", "measure", "judge", "agent"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    measure: JusticeMeasure = Field(description="Dimension or total.")
    judge: Id = Field(description="Judge, by name.")
    agent: Id = Field(description="Agent, by name.")
    n: Count = Field(description="Conversations of the agent that every judge scored.")
    clusters: Count = Field(description="Source dialogues among them.")
    standardised: float | None = Field(description="Judge's mean for the agent, in its own standard deviations.")
    advantage: float | None = Field(
        description="That, less the judge's and the agent's mean, plus the grand mean; rows and columns sum to 0."
    )
    p: float | None = Field(ge=0, le=1, description="Two-sided p by sign flips of whole source dialogues.")
    p_adjusted: float | None = Field(ge=0, le=1, description="p by Holm over the cells of the measure.")
    is_own_family: bool = Field(description="Whether judge and agent are of one model family.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class JudgeConsistency(Record):
    """One row per judge (or the ensemble of all), agent and justice measure: mean and standard deviation."""

    table: ClassVar = Table(
        "judge_consistency",
        "measures",
        ("experiment_id", "measure", "judge", "agent"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    measure: JusticeMeasure = Field(description="Dimension or total.")
    judge: Id = Field(description="Judge, by name; `ensemble` is the mean of all of them.")
    agent: Id = Field(description="Agent, by name.")
    n: Count = Field(description="Conversations that the judge scored; for the ensemble, that every judge did.")
    clusters: Count = Field(description="Source dialogues among them.")
    mean: float = Field(ge=1, le=5, description="Mean score.")
    sd: float | None = Field(ge=0, description="Standard deviation over conversations.")
    standard_error: float | None = Field(ge=0, description="Standard error of the mean, by clusters.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    is_own_family: bool = Field(
        description="Whether judge and agent are of one model family; of the ensemble, whether any judge is."
    )
    label: str = Field(description="What to know before citing it; empty where nothing.")


class VarianceComponent(Record):
    """One row per justice measure and source of variance, over all agents with each one's mean taken out."""

    table: ClassVar = Table(
        "variance_component",
        "measures",
        ("experiment_id", "measure", "component"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    measure: JusticeMeasure = Field(description="Dimension or total.")
    component: Literal[
        "scenario",
        "style",
        "scenario_x_style",
        "agent_x_scenario",
        "agent_x_scenario_x_style",
        "run",
        "judge",
        "residual",
    ] = Field(
        description="Scenario; style over all scenarios; a scenario in one style; an agent on one scenario, and in one "
        "style (beyond the agent's mean); repeat of just that; judge over all; judge on one conversation. What stands "
        "in for disclosure and customer is in the style's rows."
    )
    variance: float | None = Field(ge=0, description="Variance, in squared points of the scale.")
    sd: float | None = Field(ge=0, description="Its root, in points.")
    share: Share | None = Field(description="Share of the sum of all components that can be told.")
    levels: Count = Field(description="How many different ones there are.")
    is_negative: bool = Field(description="Whether the estimate was negative and stands as 0.")
    n: Count = Field(description="Scores that enter.")
    label: str = Field(description="What to know before citing it; empty where nothing.")


class RunToRun(Record):
    """One row per agent, measure and repeat, and one over all repeats with their agreement."""

    table: ClassVar = Table(
        "run_to_run",
        "measures",
        ("experiment_id", "agent", "measure", "run"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    agent: Id = Field(description="Agent, by name.")
    measure: Id = Field(description="What is measured.")
    run: Id = Field(description="Number of the repeat, from 0; `all` over the repeats.")
    n: Count = Field(description="Conversations with a value.")
    clusters: Count = Field(description="Source dialogues among them.")
    mean: float = Field(description="Mean of the repeat; over all, the mean of the repeats' means.")
    mean_low: float | None = Field(description="Lower end of the mean's 95% interval, by source dialogues.")
    mean_high: float | None = Field(description="Upper end.")
    sd: float | None = Field(ge=0, description="Standard deviation over conversations; over all, that of the means.")
    icc: float | None = Field(ge=-1, le=1, description="ICC(1): share of variance between cells, not between repeats.")
    low: float | None = Field(
        ge=-1, le=1, description="Lower end of the correlation's 95% interval, by source dialogues."
    )
    high: float | None = Field(ge=-1, le=1, description="Upper end.")
    label: str = Field(description="What to know before citing it; empty where nothing.")
