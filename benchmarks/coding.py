"""Coding against people: the head beside BERTopic's defaults, BERTopic's zero-shot topics and the nearest definition.

Run by hand: `python benchmarks/coding.py` (`--smoke` for a small part, `--split train` while tuning). Three labelled
sets of real posts are read from `../shared/data/labels`; without them it says so and ends. The head learns from the
journey maps alone; BERTopic's topics are given the label that most of their `train` posts have. Unassigned counts as
wrong. A whole run on `test` ends with 1 where the head is less ahead of the best of the others than `LEADS` promises.
"""

import argparse
import csv
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from servicebench_data.embeddings import BUNDLED, prepare_text
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import load_industry
from servicebench_data.journeys.head import Head, train_head

LABELS = Path(__file__).parents[2] / "shared" / "data" / "labels"
# Brands of the label files whose accounts are not in an industry folder.
OTHER_BRANDS = (
    "United",
    "United Airlines",
    "Virgin America",
    "VirginAmerica",
    "US Airways",
    "USAirways",
    "British Airways",
)
RESAMPLES = 1000
# A category that falls under no label of the file: assigned, and wrong whatever people said.
NO_LABEL = "no label"
SEED = 2026

# Categories by the coarse label that they fall under. What a label means was read off `train`: annotators put staff at
# the airport under the flight attendants, and generic dissatisfaction under customer service.
REASONS = {
    "Late Flight": "departure_delays delay_communication tarmac_holds missed_connections",
    "Cancelled Flight": "flight_cancellations rebooking_failures stranded_passenger_care",
    "Lost Luggage": "baggage_claim_waits delayed_baggage baggage_theft baggage_followup_failures "
    "lost_property_handling",
    "Damaged Luggage": "damaged_baggage",
    "Bad Flight": "seat_assignment_failures seat_condition_comfort cabin_environment food_beverage_service "
    "inflight_wifi_failures entertainment_power_failures passenger_disruption onboard_safety_concerns",
    "Flight Attendant Complaints": "cabin_crew_conduct airport_staff_conduct",
    "Flight Booking Problems": "fare_discrepancies digital_booking_failures reservation_payment_errors "
    "credit_points_redemption schedule_changes",
    "longlines": "airport_queues",
    "Customer Service Issue": "change_cancellation_terms upgrade_cabin_failures check_in_failures "
    "baggage_ancillary_fees special_assistance_failures overbooking_denials travel_refusals boarding_process_disorder "
    "carry_on_enforcement refund_delays_denials compensation_disputes loyalty_programme_failures "
    "contact_inaccessibility unanswered_complaints remote_agent_conduct",
}  # fmt: skip
INTENTS = {
    "BOOKFLT": "fare_discrepancies digital_booking_failures reservation_payment_errors",
    "REWARDS": "credit_points_redemption loyalty_programme_failures",
    "CHGFLT": "change_cancellation_terms schedule_changes rebooking_failures",
    "CHECKIN": "check_in_failures",
    "TERMOPS": "airport_queues airport_staff_conduct special_assistance_failures overbooking_denials travel_refusals "
    "boarding_process_disorder carry_on_enforcement",
    "DELAY": "departure_delays delay_communication tarmac_holds flight_cancellations missed_connections",
    "INFLIGHTFACS": "seat_condition_comfort cabin_environment food_beverage_service",
    "INFLIGHTENT": "inflight_wifi_failures entertainment_power_failures",
    "FLIGHTSTAFF": "cabin_crew_conduct",
    "BAGGAGE": "baggage_claim_waits delayed_baggage damaged_baggage baggage_theft baggage_followup_failures "
    "lost_property_handling",
    "CUSTSUPP": "contact_inaccessibility unanswered_complaints remote_agent_conduct",
}  # fmt: skip
REVIEWS = {
    "SlowService": "drive_thru_delays counter_service_delays delivery_delays",
    "OrderProblem": "wrong_items customization_errors order_taking_failures payment_errors mobile_order_failures",
    "MissingFood": "missing_items short_or_incomplete_items",
    "BadFood": "cold_or_stale_food preparation_defects drink_and_dessert_defects unsafe_consumables",
    "RudeService": "staff_rudeness discrimination_and_harassment",
    "Filthy": "food_handling_hygiene dirty_premises",
    "ScaryMcDs": "premises_safety",
    "Cost": "price_concerns",
}  # fmt: skip
#: Least lead of the head over the best baseline in macro-F1, by set; one of 0 must be passed.
LEADS = {"airline_negative_reasons": 0.10, "airline_intents": 0.0, "restaurant_reviews": 0.0}
SETS = (
    ("airline_negative_reasons", "airline", "negative_reason", REASONS),
    ("airline_intents", "airline", "intent", INTENTS),
    ("restaurant_reviews", "restaurant", "labels", REVIEWS),
)


@dataclass(frozen=True)
class Part:
    """Posts of one split: prepared texts, vectors, and the labels that people gave each."""

    texts: list[str]
    vectors: Any
    gold: list[set[str]]


@dataclass(frozen=True)
class LabelSet:
    """One labelled file."""

    name: str
    head: Head
    label_of: dict[str, str]
    labels: list[str]
    train: Part
    test: Part
    embed: Embedder
    definitions: list[str]


@dataclass(frozen=True)
class Answer:
    """A method's label for each post (None: unassigned), and how sure it was."""

    labels: list[str | None]
    confidence: Any = field(default=None)
    categories: list[str] = field(default_factory=list)
    rivals: list[str] = field(default_factory=list)


def main() -> int:
    """Run all sets and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few hundred posts of each set")
    parser.add_argument("--split", choices=("train", "test"), default="test", help="split that is measured")
    parser.add_argument("--wrong", type=int, default=0, help="only print so many posts that the head codes wrong")
    parser.add_argument("--labels", type=Path, default=LABELS, help="folder of the labelled files")
    parser.add_argument("--cache", type=Path, default=Path(".servicebench/vectors"), help="folder of the vectors")
    options = parser.parse_args()
    missing = [name for name, *_ in SETS if not (options.labels / f"{name}.csv").is_file()]
    if missing:
        print(f"skipped: {options.labels} lacks {', '.join(missing)}")
        return 0
    warnings.simplefilter("ignore")
    leads: dict[str, float] = {}
    for name, industry, column, mapping in SETS:
        data = read_set(name, industry, column, mapping, options)
        part = data.test if options.split == "test" else data.train
        if options.wrong:
            report_wrong(data, part, options.wrong)
        else:
            leads[name] = report_set(data, part)
    if options.wrong or options.smoke or options.split != "test":
        return 0
    missed = list_missed(leads)
    print("\n" + ("\n".join(missed) or "every promised lead is there"))
    return 1 if missed else 0


def list_missed(leads: dict[str, float]) -> list[str]:
    """A line for each set in which the head is less ahead than promised."""
    return [
        f"missed: {name} is {lead:+.3f} ahead of the best baseline, promised is {LEADS[name] or 'more than 0'}"
        for name, lead in leads.items()
        if lead < LEADS[name] or lead <= 0
    ]


def report_wrong(data: LabelSet, part: Part, count: int) -> None:
    """Print a draw of the posts that the head codes wrong: what people said, the category, its rival, the post."""
    answer = code_by_head(data, part)
    wrong = [place for place, gold in enumerate(part.gold) if answer.labels[place] not in gold]
    print(f"{len(wrong)} of {len(part.texts)} are wrong; of them, by chance:")
    for place in sorted(np.random.default_rng(SEED).permutation(wrong)[:count].tolist()):
        said, sure = answer.labels[place] or "unassigned", answer.confidence[place]
        print(f"\n{'|'.join(sorted(part.gold[place]))} -> {said} at {sure:.2f} ({answer.categories[place]}, "
              f"else {answer.rivals[place]})\n  {' '.join(part.texts[place].split())}")  # fmt: skip


def read_set(name: str, industry: str, column: str, mapping: dict[str, str], options: argparse.Namespace) -> LabelSet:
    """Read a file, keep the posts whose label a category falls under, embed them, train the head."""
    loaded = load_industry(industry)
    embed = Embedder(BUNDLED, options.cache)
    head = train_head(loaded, embed)
    label_of = {category: label for label, categories in mapping.items() for category in categories.split()}
    parts = {"train": Part([], None, []), "test": Part([], None, [])}
    dropped = 0
    with (options.labels / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            gold, text = set(row[column].split("|")) & set(mapping), prepare(row["text"], head)
            part = parts[row["split"]]
            if gold and text and not (options.smoke and len(part.texts) >= 200):
                part.texts.append(text)
                part.gold.append(gold)
            else:
                dropped += 1
    left_out = sorted(set(head.category_ids) - set(label_of))
    print(f"\n# {name}: {len(parts['train'].texts)} train, {len(parts['test'].texts)} test; {dropped} posts left out")
    print(f"categories under no label: {len(left_out)} of {len(head.category_ids)} ({', '.join(left_out) or 'none'})")
    train, test = (Part(part.texts, embed(part.texts), part.gold) for part in parts.values())
    definitions = [category.definition for category in loaded.journey.categories]
    return LabelSet(name, head, label_of, sorted(mapping), train, test, embed, definitions)


def prepare(text: str, head: Head) -> str:
    """A post as it is embedded, without the brands of the label files too."""
    return prepare_text(text, [*head.brands, *OTHER_BRANDS])


def report_set(data: LabelSet, part: Part) -> float:
    """Print every method's figures and the head's confusions; returns the head's lead over the best baseline."""
    methods: dict[str, Callable[[LabelSet, Part], Answer]] = {
        "head": code_by_head,
        "nearest definition": code_by_definition,
        "BERTopic defaults": code_by_topics,
        "BERTopic zero-shot": code_by_zero_shot,
    }
    answers = {name: method(data, part) for name, method in methods.items()}
    draws = np.random.default_rng(SEED).integers(0, len(part.texts), (RESAMPLES, len(part.texts)))
    scores = {name: measure(answer, part, data, draws) for name, answer in answers.items()}
    print(f"\n{'method':22s} {'macro-F1':>22s} {'accuracy':>22s} {'unassigned':>10s} {'ECE':>22s}")
    for name, answer in answers.items():
        unassigned = sum(label is None for label in answer.labels) / len(answer.labels)
        f1, accuracy, ece = (show_interval(scores[name][key]) for key in ("f1", "accuracy", "ece"))
        print(f"{name:22s} {f1:>22s} {accuracy:>22s} {unassigned:10.3f} {ece:>22s}")
    best = max(list(answers)[1:], key=lambda name: scores[name]["f1"][0])
    difference = scores["head"]["f1"] - scores[best]["f1"]
    print(f"head less {best} (best baseline), macro-F1: {show_interval(difference)}")
    report_calibration(answers["head"], part, data.label_of)
    report_confusions(answers["head"], part, data.label_of)
    return float(difference[0])


def code_by_head(data: LabelSet, part: Part) -> Answer:
    """The product's coding."""
    codes = data.head.code(part.texts, part.vectors)
    floor = data.head.calibration.min_confidence
    categories = [data.head.category_ids[place] for place in codes.best]
    is_sure = codes.confidence >= floor
    labels = [
        data.label_of.get(name, NO_LABEL) if sure else None for name, sure in zip(categories, is_sure, strict=True)
    ]
    return Answer(labels, codes.confidence, categories, [data.head.category_ids[place] for place in codes.rival])


def code_by_definition(data: LabelSet, part: Part) -> Answer:
    """The category with the nearest definition."""
    nearest = (part.vectors @ data.embed(data.definitions).T).argmax(axis=1)
    return Answer([data.label_of.get(data.head.category_ids[place], NO_LABEL) for place in nearest])


def code_by_topics(data: LabelSet, part: Part) -> Answer:
    """BERTopic as it comes, but seeded; topics fitted and labelled on train."""
    from bertopic import BERTopic  # noqa: PLC0415
    from umap import UMAP  # noqa: PLC0415

    reduce = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", low_memory=False, random_state=SEED)
    model = BERTopic(umap_model=reduce, embedding_model=None)
    found, _ = model.fit_transform(data.train.texts, embeddings=data.train.vectors)
    return apply_topics(model, list(found), data, part)


def code_by_zero_shot(data: LabelSet, part: Part) -> Answer:
    """BERTopic with the definitions as topics; the similarity is chosen on train, the default among the choices."""
    tried = [fit for similarity in (0.3, 0.5, 0.7) if (fit := try_zero_shot(data, similarity)) is not None]
    best = max(tried, key=lambda fit: score_f1(apply_topics(*fit, data, data.train), data.train, data))
    return apply_topics(*best, data, part)


def try_zero_shot(data: LabelSet, similarity: float) -> tuple[Any, list[int]] | None:
    """A fit, or None where BERTopic fails because too few posts are left beside the given topics for it to cluster."""
    try:
        return fit_zero_shot(data, similarity)
    except (ValueError, TypeError) as error:
        print(f"BERTopic zero-shot failed at similarity {similarity}: {error}")
        return None


def fit_zero_shot(data: LabelSet, similarity: float) -> tuple[Any, list[int]]:
    """BERTopic's zero-shot topics on train."""
    from bertopic import BERTopic  # noqa: PLC0415
    from bertopic.backend import BaseEmbedder  # noqa: PLC0415
    from umap import UMAP  # noqa: PLC0415

    backend = type("Backend", (BaseEmbedder,), {"embed": embed_documents, "source": data.embed})()
    reduce = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", low_memory=False, random_state=SEED)
    model = BERTopic(
        zeroshot_topic_list=data.definitions, zeroshot_min_similarity=similarity, embedding_model=backend,
        umap_model=reduce,
    )  # fmt: skip
    found, _ = model.fit_transform(data.train.texts, embeddings=data.train.vectors)
    return model, list(found)


def embed_documents(backend: Any, documents: Sequence[str], verbose: bool = False) -> Any:  # noqa: ARG001
    """BERTopic's way to ask for vectors."""
    return backend.source(list(documents))


def apply_topics(model: Any, found: list[int], data: LabelSet, part: Part) -> Answer:
    """Topics of a part's posts, each as the label that most of its train posts have; outliers stay unassigned."""
    votes: dict[int, Counter[str]] = {}
    for topic, gold in zip(found, data.train.gold, strict=True):
        votes.setdefault(topic, Counter()).update(gold)
    label_of = {
        topic: min(count, key=lambda name: (-count[name], name)) for topic, count in votes.items() if topic >= 0
    }
    topics = found if part is data.train else list(model.transform(part.texts, embeddings=part.vectors)[0])
    return Answer([label_of.get(int(topic)) for topic in topics])


def score_f1(answer: Answer, part: Part, data: LabelSet) -> float:
    """Macro-F1 of an answer."""
    return float(measure(answer, part, data, np.zeros((0, len(part.texts)), dtype=int))["f1"][0])


def measure(answer: Answer, part: Part, data: LabelSet, draws: Any) -> dict[str, Any]:
    """Macro-F1, accuracy and calibration error: first over all posts, then for each resample.

    A post with several labels counts as the one that was answered where that is among them, else as its rarest.
    """
    labels = data.labels
    frequency = Counter(label for gold in part.gold for label in gold)
    place_of = {label: place for place, label in enumerate(labels)}
    truth = np.array([
        place_of[answered if answered in gold else min(gold, key=lambda label: (frequency[label], label))]
        for answered, gold in zip(answer.labels, part.gold, strict=True)
    ])  # fmt: skip
    given = np.array([place_of.get(label or "", -1) for label in answer.labels])
    rows = [np.arange(len(truth)), *draws]
    return {
        "f1": np.array([average_f1(truth[row], given[row], len(labels)) for row in rows]),
        "accuracy": np.array([(truth[row] == given[row]).mean() for row in rows]),
        "ece": list_ece(answer, part, data.label_of, rows),
    }  # fmt: skip


def list_ece(answer: Answer, part: Part, label_of: dict[str, str], rows: Sequence[Any]) -> Any:
    """Calibration error of each choice of rows; None for a method that does not say how sure it is."""
    if answer.confidence is None:
        return None
    is_right = find_right(answer, part, label_of)
    return np.array([measure_ece(is_right[row], answer.confidence[row]) for row in rows])


def find_right(answer: Answer, part: Part, label_of: dict[str, str]) -> Any:
    """Whether the best category of each post is right, assigned or not: what its confidence is about."""
    return np.array([label_of.get(name) in gold for name, gold in zip(answer.categories, part.gold, strict=True)])


def average_f1(truth: Any, given: Any, count: int) -> float:
    """Macro-F1 over the labels that occur."""
    hit = np.bincount(truth[truth == given], minlength=count)
    real, said = np.bincount(truth, minlength=count), np.bincount(given[given >= 0], minlength=count)
    return float((2 * hit / np.maximum(real + said, 1))[real > 0].mean())


def measure_ece(is_right: Any, confidence: Any) -> float:
    """Expected calibration error over ten equal bins, of the best category whether it was assigned or not."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    inside = [bins == number for number in range(10)]
    return float(sum(abs(is_right[rows].sum() - confidence[rows].sum()) for rows in inside) / len(bins))


def show_interval(values: Any) -> str:
    """A figure with its 95% bootstrap interval."""
    if values is None:
        return "-"
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return f"{values[0]:.3f} [{low:.3f}, {high:.3f}]"


def report_calibration(answer: Answer, part: Part, label_of: dict[str, str]) -> None:
    """Of the codings at about each confidence, the share that people agree with, assigned or not.

    A row is a tenth of the scale; where the share is below the confidence, the head is surer than it may be.
    """
    heads = f"{'posts':>6s} {'unassigned':>10s} {'mean':>6s} {'right':>6s} {'95% interval':>14s}"
    print(f"\n{'confidence':12s} {heads}  verdict")
    bins = np.minimum((answer.confidence * 10).astype(int), 9)
    is_right = find_right(answer, part, label_of)
    for number in sorted(set(bins.tolist())):
        inside = bins == number
        count, mean, share = int(inside.sum()), float(answer.confidence[inside].mean()), float(is_right[inside].mean())
        low, high = binomtest(int(is_right[inside].sum()), count).proportion_ci(method="wilson")
        unassigned = sum(answer.labels[row] is None for row in np.flatnonzero(inside))
        span, bounds = f"{number / 10:.1f} to {(number + 1) / 10:.1f}", f"{low:.2f} to {high:.2f}"
        verdict = judge_share(mean, low, high)
        print(f"{span:12s} {count:6d} {unassigned:10d} {mean:6.2f} {share:6.2f} {bounds:>14s}  {verdict}")


def judge_share(mean: float, low: float, high: float) -> str:
    """Whether the confidence lies in the interval of the share that is right."""
    return "surer than right" if mean > high else "less sure than right" if mean < low else "as sure as right"


def report_confusions(answer: Answer, part: Part, label_of: dict[str, str]) -> None:
    """The categories that were answered where people saw another label, most frequent first.

    `share` is of all posts with that label. `second choice` is the head's rival where that falls under the people's
    label: many of those say which two categories need a sharper boundary; few say that the label's own categories
    lack examples of such posts.
    """
    rows: dict[tuple[str, str, str], list[str]] = {}
    total: Counter[str] = Counter()
    for gold, label, category, rival in zip(part.gold, answer.labels, answer.categories, answer.rivals, strict=True):
        name = "|".join(sorted(gold))
        total[name] += 1
        if label not in gold:
            key = name, label or "unassigned", category
            rows.setdefault(key, []).append(rival if label_of.get(rival) in gold else "")
    print(f"\n{'people said':30s} {'head said':28s} {'by its category':30s} {'posts':>5s} {'share':>5s}  second choice")
    for (gold, label, category), rivals in sorted(rows.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:20]:
        near = Counter(rival for rival in rivals if rival)
        choice = ", ".join(
            f"{name} {count}" for name, count in sorted(near.items(), key=lambda row: (-row[1], row[0]))[:2]
        )
        share = len(rivals) / total[gold]
        print(
            f"{gold:30s} {label:28s} {category:30s} {len(rivals):5d} {share:5.2f}  {choice or 'never under that label'}"
        )


if __name__ == "__main__":
    sys.exit(main())
