-- Verdicts that are not there, and such as say what they may not.
-- Views: experiment, conversation, score, sub_score, rubric_item.
-- An experiment that was judged by an earlier rubric lacks nothing: its verdicts are whole in the version that they carry.
WITH judged AS (
    SELECT DISTINCT experiment_id, grading_version FROM score JOIN conversation USING (conversation_id)
),
expected AS (
    SELECT conversation_id, judge, dimension, coalesce(judged.grading_version, item.grading_version) AS grading_version
    FROM conversation
    JOIN (SELECT experiment_id, unnest(definition::JSON ->> '$.judges[*].name') AS judge FROM experiment) USING (experiment_id)
    CROSS JOIN (SELECT DISTINCT dimension, grading_version FROM rubric_item) AS item
    LEFT JOIN judged USING (experiment_id)
),
wrong AS (
    SELECT 'covered' AS rule, concat_ws(' ', conversation_id, judge, dimension) AS name
    FROM expected ANTI JOIN score USING (conversation_id, judge, dimension, grading_version)
    UNION ALL
    SELECT 'score_or_reason', concat_ws(' ', conversation_id, judge, dimension)
    FROM score WHERE (status = 'scored') <> (score IS NOT NULL)
    UNION ALL
    SELECT 'invalid_unscored', concat_ws(' ', conversation_id, judge, dimension)
    FROM score JOIN conversation USING (conversation_id) WHERE NOT is_valid AND status <> 'unscored'
    UNION ALL
    SELECT 'items_whole', concat_ws(' ', conversation_id, judge, dimension)
    FROM score
    JOIN (SELECT dimension, grading_version, count(*) AS items FROM rubric_item GROUP BY ALL) USING (dimension, grading_version)
    LEFT JOIN (SELECT conversation_id, judge, dimension, grading_version, count(*) AS found FROM sub_score GROUP BY ALL)
        USING (conversation_id, judge, dimension, grading_version)
    WHERE coalesce(found, 0) <> CASE WHEN status = 'scored' THEN items ELSE 0 END
)
SELECT rule, name FROM wrong ORDER BY rule, name
