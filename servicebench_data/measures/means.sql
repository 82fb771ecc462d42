-- Mean of each measure by agent and cut, with its clustered standard error. Parameter: experiment.
-- Views: measures.conversation_measure, conversation_fact, score_fact, turn_fact.
--
-- Every mean is sum(weight * y) / sum(weight) over strata that are fixed: one stratum and weight 1 for a plain mean, one
-- stratum and the inverse of the inclusion probability for `prevalence`, the industries with weight 1 / n of each for
-- `macro` and `severity_mix`. Its error is what a cluster adds to it, residuals from the mean of the stratum, summed
-- over the strata that the cluster lies in; a stratum of G clusters has the factor G / (G - 1). Over strata without
-- common clusters that is the sum of their variances. Degrees of freedom are Satterthwaite's over the strata. What the
-- order of summation does to the last digits is rounded away.
WITH mixed AS (
    SELECT industry, count(DISTINCT severity) AS severities
    FROM measures.conversation_fact
    WHERE experiment_id = $experiment
    GROUP BY industry
    QUALIFY severities = max(severities) OVER ()
),
entry AS (
    SELECT *, count(value) OVER (PARTITION BY agent, measure, industry) AS n_industry,
           count(value) OVER (PARTITION BY agent, measure, industry, severity) AS n_severity,
           industry IN (SELECT industry FROM mixed) AS is_mixed
    FROM measures.conversation_measure
    WHERE experiment_id = $experiment
),
sliced AS (
    SELECT agent, measure, cluster_id, value AS y,
           unnest([
               {'by': 'all', 'value': 'all', 'stratum': '', 'weight': 1.0},
               {'by': 'macro', 'value': 'all', 'stratum': industry, 'weight': 1.0 / nullif(n_industry, 0)},
               {'by': 'prevalence', 'value': 'all', 'stratum': '', 'weight': 1.0 / inclusion_probability},
               {'by': 'industry', 'value': industry, 'stratum': '', 'weight': 1.0},
               {'by': 'stage', 'value': industry || '/' || stage_id, 'stratum': '', 'weight': 1.0},
               {'by': 'category', 'value': industry || '/' || category_id, 'stratum': '', 'weight': 1.0},
               {'by': 'severity', 'value': severity, 'stratum': '', 'weight': 1.0},
               {'by': CASE WHEN is_mixed THEN 'severity_mix' END, 'value': severity, 'stratum': industry,
                'weight': 1.0 / nullif(n_severity, 0)},
               {'by': 'style', 'value': style, 'stratum': '', 'weight': 1.0},
               {'by': 'guidance', 'value': guidance, 'stratum': '', 'weight': 1.0},
               {'by': 'disclosure', 'value': disclosure, 'stratum': '', 'weight': 1.0},
               {'by': 'customer', 'value': customer, 'stratum': '', 'weight': 1.0},
               {'by': 'repeat', 'value': "repeat"::VARCHAR, 'stratum': '', 'weight': 1.0},
               {'by': 'first_goodwill', 'value': first_goodwill, 'stratum': '', 'weight': 1.0}
           ], recursive := TRUE)
    FROM entry
),
verdict AS (
    SELECT conversation_id, judge, max(score) FILTER (WHERE dimension = 'interactional') AS interactional,
           max(score) FILTER (WHERE dimension = 'procedural') AS procedural,
           max(score) FILTER (WHERE dimension = 'distributive') AS distributive
    FROM measures.score_fact
    WHERE experiment_id = $experiment AND is_latest
    GROUP BY ALL
),
judged AS (
    SELECT c.agent, c.cluster_id, b.judge,
           unnest([
               {'measure': 'interactional', 'y': v.interactional::DOUBLE},
               {'measure': 'procedural', 'y': v.procedural::DOUBLE},
               {'measure': 'distributive', 'y': v.distributive::DOUBLE},
               {'measure': 'total', 'y': (v.interactional + v.procedural + v.distributive) / 3}
           ], recursive := TRUE)
    FROM measures.conversation_fact AS c
    CROSS JOIN (SELECT DISTINCT judge FROM verdict) AS b
    LEFT JOIN verdict AS v ON v.conversation_id = c.conversation_id AND v.judge = b.judge
    WHERE c.experiment_id = $experiment
),
turns AS (
    SELECT agent, unnest(range(1, max(turn) + 1)) AS turn
    FROM measures.turn_fact
    WHERE experiment_id = $experiment
    GROUP BY agent
),
course AS (
    SELECT c.agent, c.cluster_id, t.turn,
           CASE WHEN c.outcome NOT IN ('invalid', 'unplayed') THEN coalesce(f.coverage, c.coverage_final) END AS y
    FROM measures.conversation_fact AS c
    JOIN turns AS t USING (agent)
    LEFT JOIN measures.turn_fact AS f ON f.conversation_id = c.conversation_id AND f.turn = t.turn
    WHERE c.experiment_id = $experiment
),
cut AS (
    SELECT agent, measure, "by", value, stratum, weight, cluster_id, y FROM sliced WHERE "by" IS NOT NULL
    UNION ALL
    SELECT agent, measure, 'judge', judge, '', 1.0, cluster_id, y FROM judged
    UNION ALL
    SELECT agent, 'coverage_by_turn', 'turn', turn::VARCHAR, '', 1.0, cluster_id, y FROM course
),
-- What each cluster has in each stratum; all else is made from this.
cell AS (
    SELECT agent, measure, "by", value, stratum, cluster_id,
           count(*) AS conversations, count(y) AS n,
           coalesce(sum(weight * y), 0) AS weighted, coalesce(sum(weight * y * y), 0) AS squares,
           min(y) AS least, max(y) AS most,
           coalesce(sum(weight) FILTER (WHERE y IS NOT NULL), 0) AS weight
    FROM cut
    GROUP BY ALL
),
stratum AS (
    SELECT agent, measure, "by", value, stratum,
           sum(n) AS n, count(*) FILTER (WHERE n > 0) AS clusters, sum(weight) AS weight,
           sum(weighted) / nullif(sum(weight), 0) AS centre
    FROM cell
    GROUP BY ALL
),
whole AS (
    SELECT agent, measure, "by", value, sum(weight) AS weight,
           CASE WHEN bool_and(n > 0) THEN round(sum(centre * weight) / sum(weight), 12) END AS mean,
           bool_and(clusters > 1) AS has_error
    FROM stratum
    GROUP BY ALL
),
share AS (
    SELECT agent, measure, "by", value, c.cluster_id, s.stratum, s.clusters,
           sqrt(s.clusters / (s.clusters - 1)) * (c.weighted - s.centre * c.weight) / w.weight AS part
    FROM cell AS c
    JOIN stratum AS s USING (agent, measure, "by", value, stratum)
    JOIN whole AS w USING (agent, measure, "by", value)
    WHERE c.n > 0 AND w.has_error
),
variance AS (
    SELECT agent, measure, "by", value, sum(square) AS variance
    FROM (SELECT agent, measure, "by", value, sum(part) ** 2 AS square FROM share GROUP BY agent, measure, "by", value, cluster_id)
    GROUP BY ALL
),
freedom AS (
    SELECT agent, measure, "by", value,
           coalesce(sum(square) ** 2 / nullif(sum(square ** 2 / (clusters - 1)), 0), sum(clusters - 1)) AS freedom
    FROM (
        SELECT agent, measure, "by", value, stratum, any_value(clusters) AS clusters, sum(part ** 2) AS square
        FROM share GROUP BY agent, measure, "by", value, stratum
    )
    GROUP BY ALL
),
tally AS (
    SELECT agent, measure, "by", value, sum(conversations) AS conversations, sum(n) AS n,
           count(DISTINCT cluster_id) FILTER (WHERE n > 0) AS clusters,
           sum(squares) / nullif(sum(weight), 0) AS square, min(least) = max(most) AS is_alike
    FROM cell
    GROUP BY ALL
)
SELECT agent, measure, "by", value, n::BIGINT AS n, (conversations - n)::BIGINT AS missing, clusters,
       mean,
       CASE WHEN n > 1 AND mean IS NOT NULL
            THEN CASE WHEN is_alike THEN 0 ELSE round(sqrt(greatest(square - mean ** 2, 0) * n / (n - 1)), 12) END
            END AS sd,
       CASE WHEN mean IS NOT NULL THEN round(sqrt(variance), 12) END AS standard_error, round(freedom, 9) AS freedom
FROM tally
JOIN whole USING (agent, measure, "by", value)
LEFT JOIN variance USING (agent, measure, "by", value)
LEFT JOIN freedom USING (agent, measure, "by", value)
ORDER BY agent, measure, "by", value
