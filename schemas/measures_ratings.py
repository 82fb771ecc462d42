"""Records of the measures group that are made of people's ratings: how far judges can be trusted, and how people agree.

Belongs here: judges against people, people against each other, the customer's realism. Not here: the ratings
(`judging.py`), or judges against judges (`measures_statistics.py`).
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.judging import Dimension
from schemas.records import Count, Id, Record, Reference, Table

Rated = Literal[Dimension, "total"]
#: How well scores go with people's.
ValidityMeasure = Literal["spearman", "quadratic_kappa", "mean_absolute_error", "bias", "krippendorff_alpha"]
JudgeState = Literal["validated", "not_validated", "refused", "offline"]

_EXPERIMENT = Reference(("experiment_id",), "experiment", ("experiment_id",))


class JudgeStatus(Record):
    """One row per judge and grading version: whether its scores may be taken for what people would say, and why."""

    table: ClassVar = Table(
        "judge_status",
        "measures",
        ("experiment_id", "judge", "grading_version"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by its name in the experiment.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules of its scores.")
    status: JudgeState = Field(
        description="`validated` against people; `not_validated` for lack of ratings; `refused` for leaderboards, for "
        "its scores do not vary or do not go with people's; `offline`: the rule engine, which is no judge of quality."
    )
    reason: str = Field(min_length=1, description="Why, in words.")
    transcripts: Count = Field(description="Conversations that it scored whole and that three people or more rated.")
    raters: Count = Field(description="People who rated those.")
    spearman: float | None = Field(
        ge=-1,
        le=1,
        description="Rank correlation of its total with the mean of people's, over those conversations; missing below "
        "ten of them and where either side does not vary.",
    )
    spearman_low: float | None = Field(
        ge=-1, le=1, description="Lower end of its 95% interval, bootstrapped over source dialogues."
    )
    spearman_high: float | None = Field(ge=-1, le=1, description="Upper end.")


class JudgeValidity(Record):
    """One row per judge, grading version, dimension and measure: how its scores go with people's means.

    The ceiling is the same measure for each person against the mean of the others, averaged over people: a judge at the
    ceiling is as good as one more person.
    """

    table: ClassVar = Table(
        "judge_validity",
        "measures",
        ("experiment_id", "judge", "grading_version", "dimension", "measure"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by its name in the experiment.")
    judge_made_by: Id = Field(description="Model of the judge; `offline` for the rule engine.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules.")
    dimension: Rated = Field(description="Dimension, or the mean of the three.")
    measure: ValidityMeasure = Field(
        description="`spearman`: rank correlation; `quadratic_kappa`: with people's means rounded halves up (for the "
        "total unrounded: Lin's concordance); `mean_absolute_error` in points; `bias`: judge less people, in points; "
        "`krippendorff_alpha`: ordinal, the judge as one more person (for the total by distance)."
    )
    value: float | None = Field(description="Its value; missing where it is undefined, as for constant scores.")
    low: float | None = Field(description="Lower end of its 95% interval, bootstrapped over source dialogues.")
    high: float | None = Field(description="Upper end.")
    ceiling: float | None = Field(
        description="The same for people: each against the mean of the others; for alpha people among "
        "themselves; none for bias, which cancels out."
    )
    ceiling_low: float | None = Field(description="Lower end of its 95% interval.")
    ceiling_high: float | None = Field(description="Upper end.")
    transcripts: Count = Field(description="Conversations with a score of the judge and of a person.")
    raters: Count = Field(description="People who rated those.")
    ratings_per_transcript: float | None = Field(ge=1, description="People per conversation, on average.")
    clusters: Count = Field(description="Source dialogues of those conversations.")


class RaterAgreement(Record):
    """One row per question, measure and pair of people: how they agree; `all` stands for all people together."""

    table: ClassVar = Table(
        "rater_agreement",
        "measures",
        ("experiment_id", "question", "measure", "rater_a", "rater_b"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    question: Id = Field(description="Dimension of justice, `total` for the mean of the three, or question on realism.")
    measure: Literal["spearman", "mean_pairwise_spearman", "krippendorff_alpha", "against_others"] = Field(
        description="`spearman` of two people; the mean over all pairs; Krippendorff's ordinal alpha of all (for "
        "the total by distance); `against_others`: Spearman of one person with the mean of the others."
    )
    rater_a: Id = Field(description="Person, or `all`.")
    rater_b: Id = Field(description="The other person, `others`, or `all`.")
    value: float | None = Field(ge=-1, le=1, description="Its value; missing where it is undefined.")
    low: float | None = Field(description="Lower end of its 95% interval, bootstrapped over source dialogues.")
    high: float | None = Field(description="Upper end.")
    transcripts: Count = Field(description="Conversations that both, or at least two people, rated.")
    clusters: Count = Field(description="Source dialogues of those.")


class JudgeCalibration(Record):
    """One row per judge, grading version and dimension: the line that turns its scores into what people would give."""

    table: ClassVar = Table(
        "judge_calibration",
        "measures",
        ("experiment_id", "judge", "grading_version", "dimension"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by its name in the experiment.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules.")
    dimension: Rated = Field(description="Dimension, or the mean of the three.")
    intercept: float | None = Field(description="What people give where the judge gives 0; no score that occurs.")
    intercept_low: float | None = Field(description="Lower end of its 95% interval, by source dialogues.")
    intercept_high: float | None = Field(description="Upper end.")
    slope: float | None = Field(description="Points of people for a point of the judge: 1 where it is calibrated.")
    slope_low: float | None = Field(description="Lower end of its 95% interval, by source dialogues.")
    slope_high: float | None = Field(description="Upper end.")
    r_squared: float | None = Field(ge=0, le=1, description="Share of the variance of people's means that it explains.")
    residual_sd: float | None = Field(ge=0, description="What remains, in points.")
    transcripts: Count = Field(description="Conversations with a score of the judge and of a person.")
    clusters: Count = Field(description="Source dialogues of those conversations.")


class SelfPreference(Record):
    """One row per model judge, grading version and dimension: is it kinder to its own family than people are?"""

    table: ClassVar = Table(
        "self_preference",
        "measures",
        ("experiment_id", "judge", "grading_version", "dimension"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by its name in the experiment.")
    family: Id = Field(description="Its model family.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules.")
    dimension: Rated = Field(description="Dimension, or the mean of the three.")
    own_transcripts: Count = Field(description="Rated conversations that it scored whose agent is of its family.")
    other_transcripts: Count = Field(description="The same of other agents.")
    clusters: Count = Field(description="Source dialogues of all of them.")
    own_bias: float | None = Field(description="Judge less people on its own family's agents, in points.")
    other_bias: float | None = Field(description="The same on other agents.")
    difference: float | None = Field(description="The first less the second: self-preference, in points.")
    standard_error: float | None = Field(ge=0, description="Its standard error, by source dialogues.")
    low: float | None = Field(
        description="Lower end of its 95% interval; missing below ten source dialogues on either side."
    )
    high: float | None = Field(description="Upper end.")
    p: float | None = Field(ge=0, le=1, description="Two-sided p.")
    p_adjusted: float | None = Field(ge=0, le=1, description="p by Holm over the judges of the dimension.")
    label: str = Field(description="Why a figure is missing; empty where none is.")


class CalibratedJustice(Record):
    """One row per judge, grading version, dimension and agent: what the judge gives, beside what people would give.

    Calibration is linear and the same for all agents: it takes out that a judge is generous or uses less of the scale,
    not that it favours an agent. A rated conversation is calibrated by a line in which its source dialogue has no part.
    """

    table: ClassVar = Table(
        "justice_calibrated_to_people",
        "measures",
        ("experiment_id", "judge", "grading_version", "dimension", "agent"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    judge: Id = Field(description="Judge, by name; `ensemble` is the headline, without judges of the agent's family.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules.")
    dimension: Rated = Field(description="Dimension, or the mean of the three.")
    agent: Id = Field(description="Agent, by its name in the experiment.")
    n: Count = Field(description="Conversations of the agent that have a score.")
    clusters: Count = Field(description="Source dialogues among them.")
    raw: float | None = Field(
        ge=1, le=5, description="Mean of the industries' means as the judge gave them; missing where one has none."
    )
    calibrated: float | None = Field(
        description="The same of the calibrated scores; missing below ten rated source dialogues and for a judge whose "
        "scores of them do not vary."
    )
    low: float | None = Field(
        description="Lower end of its 95% interval by Student's t; the standard error is bootstrapped over source "
        "dialogues, conversations and line at once."
    )
    high: float | None = Field(description="Upper end.")
    calibration_transcripts: Count = Field(description="Rated conversations that the line rests on, of all agents.")
    calibration_clusters: Count = Field(description="Source dialogues among them.")
    calibrated_error: float | None = Field(
        ge=0,
        description="Root mean squared distance of calibrated scores from people's means, in points; each by a line in "
        "which its source dialogue has no part.",
    )
    raw_error: float | None = Field(ge=0, description="The same distance of the scores as the judge gave them.")
    label: str = Field(description="What to know before citing it, or why it is missing; empty where nothing.")


class CustomerRealism(Record):
    """One row per customer simulator, question on realism and cut: what people gave to the customers it played."""

    table: ClassVar = Table(
        "customer_realism",
        "measures",
        ("experiment_id", "customer", "question", "by", "value"),
        (_EXPERIMENT,),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    customer: Id = Field(description="Customer simulator, by its name in the experiment.")
    question: Id = Field(description="Question as `realism.yaml` has it.")
    by: Literal["all", "style", "industry"] = Field(description="What the conversations are told apart by.")
    value: Id = Field(description="Which of them; `all` where there is one.")
    n: Count = Field(description="Conversations; each counts with the mean of the people who rated it.")
    ratings: Count = Field(description="Answers of people.")
    raters: Count = Field(description="People.")
    clusters: Count = Field(description="Source dialogues.")
    mean: float | None = Field(ge=1, le=5, description="Mean, from 1 to 5.")
    sd: float | None = Field(ge=0, description="Standard deviation over conversations.")
    standard_error: float | None = Field(ge=0, description="Standard error of the mean, by source dialogues.")
    low: float | None = Field(description="Lower end of the 95% interval.")
    high: float | None = Field(description="Upper end.")
