-- One row per step, industry and outcome: rows that came in are rows made plus rows that left, with the reason.
-- Views over the lake: post, quarantined_post, dialogue, screening, coding, candidate, scenario, near_duplicate.
WITH outcomes AS (
    SELECT 0 AS position, 'posts' AS step, 'all' AS industry, 'made' AS outcome, count(*) AS row_count FROM post
    UNION ALL
    SELECT 0, 'posts', 'all', reason, count(*) FROM quarantined_post GROUP BY reason
    UNION ALL
    SELECT 1, 'dialogues', industry, 'made', count(*) FROM dialogue GROUP BY industry
    UNION ALL
    SELECT 2, 'screening', industry, coalesce(exclusion_reason, 'made'), count(*)
    FROM screening GROUP BY industry, exclusion_reason
    UNION ALL
    SELECT 3, 'coding', industry, coalesce(unassigned_reason, 'made'), count(*)
    FROM coding GROUP BY industry, unassigned_reason
    UNION ALL
    -- A complaint goes on to become a candidate when it has a category and clears the release threshold.
    SELECT 4, 'release_grade', s.industry, if(s.is_release_grade, 'made', 'below_release_threshold'), count(*)
    FROM screening AS s JOIN coding AS c USING (dialogue_id) WHERE c.category_id IS NOT NULL
    GROUP BY s.industry, s.is_release_grade
    UNION ALL
    SELECT 5, 'candidates', industry, coalesce(rejection_reason, 'made'), count(*)
    FROM candidate GROUP BY industry, rejection_reason
    UNION ALL
    -- A scenario without a valid candidate is one too many, and so is one that was left out and is there nevertheless.
    SELECT 6, 'scenarios', coalesce(c.industry, w.industry), coalesce(w.outcome, 'not_drawn'), count(*)
    FROM (FROM candidate WHERE is_valid) AS c
    FULL JOIN (
        SELECT scenario_id, industry, 'made' AS outcome FROM scenario
        UNION ALL SELECT scenario_id, industry, 'near_duplicate' FROM near_duplicate
    ) AS w USING (scenario_id)
    GROUP BY coalesce(c.industry, w.industry), w.outcome
)
SELECT position, step, industry, outcome, row_count::BIGINT AS row_count
FROM outcomes
ORDER BY position, industry, outcome
