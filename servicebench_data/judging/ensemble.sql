-- One row per valid conversation, ensemble and grading version: means over the judges that are due, where all of them scored.
-- Tables: score, conversation. Due are the models of the experiment that did not abstain; where no model judges, the rules.
WITH verdict AS (
    SELECT conversation_id, grading_version, judge, judge_made_by,
           any_value(is_own_family) AS is_own_family,
           bool_or(status = 'unscored') AS has_abstained,
           count(*) FILTER (WHERE status = 'scored') = 3 AS is_whole,
           max(score) FILTER (WHERE dimension = 'interactional') AS interactional,
           max(score) FILTER (WHERE dimension = 'procedural') AS procedural,
           max(score) FILTER (WHERE dimension = 'distributive') AS distributive
    FROM score JOIN conversation USING (conversation_id)
    WHERE is_valid
    GROUP BY ALL
),
bench AS (
    SELECT *, bool_or(judge_made_by <> 'offline') OVER (PARTITION BY grading_version) AS has_models FROM verdict
),
seat AS (
    SELECT ensemble, bench.*,
           NOT has_abstained
           AND (judge_made_by <> 'offline') = has_models
           AND (ensemble = 'all' OR NOT is_own_family) AS is_due
    FROM bench CROSS JOIN (VALUES ('without_own_family'), ('all')) AS kind (ensemble)
),
mean AS (
    SELECT conversation_id, ensemble, grading_version,
           coalesce(list(judge ORDER BY judge) FILTER (WHERE is_due AND is_whole), []) AS judges,
           count(*) FILTER (WHERE is_due) AS judges_due,
           count(*) FILTER (WHERE is_due) > 0 AND bool_and(is_whole OR NOT is_due) AS is_complete,
           avg(interactional) FILTER (WHERE is_due) AS interactional,
           avg(procedural) FILTER (WHERE is_due) AS procedural,
           avg(distributive) FILTER (WHERE is_due) AS distributive
    FROM seat
    GROUP BY ALL
)
SELECT conversation_id, ensemble, grading_version, judges, judges_due,
       CASE WHEN is_complete THEN interactional END AS interactional,
       CASE WHEN is_complete THEN procedural END AS procedural,
       CASE WHEN is_complete THEN distributive END AS distributive,
       CASE WHEN is_complete THEN (interactional + procedural + distributive) / 3 END AS total
FROM mean
ORDER BY conversation_id, ensemble, grading_version
