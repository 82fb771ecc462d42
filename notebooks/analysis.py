"""A notebook on the published file: who is more just, where, at what price, and how sure that is.

`marimo edit notebooks/analysis.py` opens it on `.servicebench/servicebench.duckdb`; `-- --file PATH` names another.
It reads and draws; statistics are those of the file. `docs/analysis.md` asks the same questions in SQL alone.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="ServiceBench Data")


with app.setup:
    from pathlib import Path

    import altair as alt
    import duckdb
    import marimo as mo


@app.function
def ask(connection, query, **values):
    """The rows of a query; values go in as parameters, never into its text."""
    return connection.sql(query, params=values).df()


@app.function
def show(rows):
    """A table for people: four digits, and a dash where there is no number."""
    numbers = rows.select_dtypes("float").columns
    formats = {name: lambda value: f"{value:.4g}".replace("nan", "–") for name in numbers}
    return mo.ui.table(rows, format_mapping=formats, selection=None, pagination=False, show_column_summaries=False)


@app.function
def draw_intervals(rows, mean, bounds, *, by, title):
    """A point and its 95% interval for each row."""
    place = alt.Y(f"{by}:N", sort=list(rows[by]), title=None)
    scale = alt.X(f"{mean}:Q", title=title, scale=alt.Scale(zero=False))
    line = alt.Chart(rows).mark_rule().encode(y=place, x=alt.X(f"{bounds[0]}:Q"), x2=f"{bounds[1]}:Q")
    point = alt.Chart(rows).mark_point(filled=True, size=60).encode(y=place, x=scale, tooltip=list(rows.columns))
    return (line + point).properties(width=560)


@app.cell
def _():
    file = Path(mo.cli_args().get("file") or ".servicebench/servicebench.duckdb")
    return (file,)


@app.cell
def _(file):
    mo.stop(not file.exists(), mo.md(f"`{file}` does not exist. Build and play first: `make run`."))
    connection = duckdb.connect(str(file), read_only=True)
    _ = connection.execute("SET TimeZone = 'UTC'")
    return (connection,)


@app.cell
def _(connection):
    build = ask(connection, "FROM release.build").iloc[0]
    experiments = ask(connection, "SELECT DISTINCT experiment_id FROM simulation.conversation ORDER BY ALL")[
        "experiment_id"
    ]
    mo.stop(experiments.empty, mo.md("The file holds no experiment yet: `servicebench run experiments/sample.yaml`."))
    chosen = mo.ui.dropdown(list(experiments), value=experiments.iloc[0], label="Experiment")
    mo.vstack(
        [
            mo.md(f"# Build {build['build_id']}\n\nScenarios by: {build['made_by']}. Licence: {build['license']}."),
            chosen,
        ]
    )
    return (chosen,)


@app.cell
def _(chosen, connection):
    leaders = ask(
        connection,
        """
        SELECT place, agent, n, clusters, total, total_low, total_high, interactional, procedural, distributive,
               agreement_rate, disengagement_rate, goodwill_standing_usd, label
        FROM measures.leaderboard WHERE experiment_id = $name ORDER BY place NULLS LAST, total DESC NULLS LAST, agent
        """,
        name=chosen.value,
    )
    labels = ", ".join(sorted({label for label in leaders["label"] if label})) or "none"
    mo.vstack([mo.md(f"## Who is more just\n\nCaveats that the file states: **{labels}**."), show(leaders)])
    return (leaders,)


@app.cell
def _(leaders):
    justice = draw_intervals(
        leaders, "total", ("total_low", "total_high"), by="agent", title="Total justice, 1 to 5, mean of the industries"
    )
    mo.vstack([justice])
    return (justice,)


@app.cell
def _(chosen, connection):
    pairs = ask(
        connection,
        """
        SELECT agent_a || ' less ' || agent_b AS pair, difference, low, high, p_adjusted, clusters, is_comparable
        FROM measures.agent_contrast WHERE experiment_id = $name AND is_primary ORDER BY difference DESC, pair
        """,
        name=chosen.value,
    )
    differences = draw_intervals(
        pairs, "difference", ("low", "high"), by="pair", title="Difference on the same scenarios"
    )
    told = mo.md("## Is it real\n\nAn interval clear of 0 and a small `p_adjusted` (Holm) say so.")
    mo.vstack([told, differences, show(pairs)])
    return differences, pairs


@app.cell
def _(leaders):
    price = (
        alt.Chart(leaders)
        .mark_circle(size=120)
        .encode(
            x=alt.X("goodwill_standing_usd:Q", title="Goodwill standing at the end, USD, zeros included"),
            y=alt.Y("total:Q", title="Total justice", scale=alt.Scale(domain=[1, 5])),
            color=alt.Color("agent:N", title="Agent"),
            tooltip=["agent", "total", "goodwill_standing_usd", "agreement_rate", "n"],
        )
        .properties(width=560, height=300)
    )
    mo.vstack([mo.md("## At what price\n\nUp and to the left is more justice for less goodwill."), price])
    return (price,)


@app.cell
def _(chosen, connection):
    places = ask(
        connection,
        """
        SELECT industry, agent, mean, low, high, n FROM measures.justice_by_industry
        WHERE experiment_id = $name AND measure = 'total' ORDER BY industry, agent
        """,
        name=chosen.value,
    )
    where = (
        alt.Chart(places)
        .mark_rect()
        .encode(
            x=alt.X("agent:N", title=None, axis=alt.Axis(labelAngle=-20)),
            y=alt.Y("industry:N", title=None),
            color=alt.Color("mean:Q", title="Total justice", scale=alt.Scale(domain=[1, 5], scheme="viridis")),
            tooltip=list(places.columns),
        )
        .properties(width=560)
    )
    mo.vstack([mo.md("## Where"), where])
    return (where,)


@app.cell
def _(chosen, connection):
    curves = ask(
        connection,
        """
        SELECT agent, turn, outcome, incidence, low, high, at_risk FROM measures.cumulative_outcome
        WHERE experiment_id = $name AND outcome IN ('agreed', 'disengaged') ORDER BY agent, outcome, turn
        """,
        name=chosen.value,
    )
    ends = (
        alt.Chart(curves)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("turn:Q", title="Exchange", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                "incidence:Q", title="Share of conversations", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")
            ),
            color=alt.Color("agent:N", title="Agent"),
            strokeDash=alt.StrokeDash("outcome:N", title="Outcome"),
            tooltip=list(curves.columns),
        )
        .properties(width=560, height=300)
    )
    mo.vstack([mo.md("## When conversations end\n\nAgreement and walking away compete: both are counted."), ends])
    return (ends,)


@app.cell
def _(chosen, connection):
    timing = ask(
        connection,
        """
        SELECT agent, first_goodwill, share, n FROM measures.first_offer_timing
        WHERE experiment_id = $name AND "by" = 'all' ORDER BY agent, first_goodwill
        """,
        name=chosen.value,
    )
    knowledge = ask(
        connection,
        """
        SELECT agent, turn, mean AS coverage, low, high, running FROM measures.coverage_by_turn
        WHERE experiment_id = $name ORDER BY agent, turn
        """,
        name=chosen.value,
    )
    offers = (
        alt.Chart(timing)
        .mark_bar()
        .encode(
            y=alt.Y("agent:N", title=None),
            x=alt.X("share:Q", title="First goodwill at agent turn", stack=True, axis=alt.Axis(format="%")),
            color=alt.Color("first_goodwill:N", title=None, sort=["T1", "T2", "T3+", "never"]),
            tooltip=list(timing.columns),
        )
        .properties(width=560)
    )
    known = (
        alt.Chart(knowledge)
        .mark_line(point=True)
        .encode(
            x=alt.X("turn:Q", title="Agent turn", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                "coverage:Q",
                title="Out of what only the customer knew",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            ),
            color=alt.Color("agent:N", title="Agent"),
            tooltip=list(knowledge.columns),
        )
        .properties(width=560, height=260)
    )
    mo.vstack([mo.md("## How early it pays, and what it knows by then"), offers, known])
    return known, offers


@app.cell
def _(chosen, connection):
    faults = ask(
        connection,
        "SELECT agent, conversations, invalid, invalid_share, high, total, total_worst, total_best "
        "FROM measures.invalid_share WHERE experiment_id = $name ORDER BY agent",
        name=chosen.value,
    )
    judges = ask(
        connection,
        "SELECT judge, grading_version, status, reason, transcripts, raters, spearman "
        "FROM measures.judge_status WHERE experiment_id = $name ORDER BY judge, grading_version",
        name=chosen.value,
    )
    mo.vstack(
        [
            mo.md("## What to doubt\n\nThe simulator's faults, and how far judges are borne out."),
            show(faults),
            show(judges),
        ]
    )
    return faults, judges


@app.cell
def _(connection):
    passed = ask(
        connection,
        """
        SELECT position, gate, value AS industry, entered, passed, pass_rate FROM release.gate_pass_rate
        WHERE "by" = 'industry' ORDER BY position, industry
        """,
    )
    gates = (
        alt.Chart(passed)
        .mark_line(point=True)
        .encode(
            x=alt.X("gate:N", sort=alt.SortField("position"), title=None, axis=alt.Axis(labelAngle=-30)),
            y=alt.Y(
                "pass_rate:Q", title="Share that passes", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")
            ),
            color=alt.Color("industry:N", title=None),
            tooltip=list(passed.columns),
        )
        .properties(width=560, height=260)
    )
    mo.vstack([mo.md("## What the gates selected"), gates])
    return (gates,)


if __name__ == "__main__":
    app.run()
