"""How real people find the simulated customers.

Belongs here: the table `customer_realism`. Not here: what people are asked (`judging/ratings/realism.yaml`).
"""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import CustomerRealism
from servicebench_data.measures.clustered import estimate_means, find_interval
from servicebench_data.measures.panels import Panel, read_panels
from servicebench_data.measures.reading import make_table

PREFIX = "realism_"
CUTS = ("all", "style", "industry")


def make_customer_realism(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per customer simulator, question and cut."""
    rows = [
        {"experiment_id": experiment_id, "question": question, **row}
        for question, panel in read_panels(connection, experiment_id).items()
        if question.startswith(PREFIX)
        for cut in CUTS
        for row in describe_cut(panel, cut)
    ]
    return make_table(CustomerRealism, rows)


def describe_cut(panel: Panel, cut: str) -> list[dict[str, Any]]:
    """Mean of each customer within each value of a cut."""
    keys = [(entry["customer"], "all" if cut == "all" else entry[cut]) for entry in panel.traits]
    names = sorted(set(keys))
    groups = np.array([names.index(key) for key in keys], dtype=np.int64)
    means = estimate_means(panel.average(), panel.clusters, groups, len(names))
    low, high = find_interval(means)
    return [
        {
            "customer": customer, "by": cut, "value": value, "n": means.n[place],
            "ratings": int(panel.counts[groups == place].sum()), "raters": len(panel.keep(groups == place).raters),
            "clusters": means.clusters[place], "mean": means.mean[place], "sd": means.sd[place],
            "standard_error": means.standard_error[place], "low": low[place], "high": high[place],
        }
        for place, (customer, value) in enumerate(names)
    ]  # fmt: skip
