-- What the gates of the pipeline let through. Each statement ends with a line of its own that holds only `;`.
--
-- A dialogue passes the gates in their order and leaves at the first that it does not pass. `reached` is the number of
-- gates that it passed, so that what enters a gate is what passed the one before it, within every cut. A reason for
-- which candidates are rejected belongs to one gate; one that none names here would count as drawn, so a test holds
-- that every reason has its gate.
CREATE VIEW release.gate_pass_rate AS
WITH gates(position, gate) AS (
    VALUES (1, 'complaint_kept'), (2, 'coded'), (3, 'release_grade'), (4, 'has_reply'), (5, 'written_by_task'),
           (6, 'has_events'), (7, 'enough_facts'), (8, 'grounded'), (9, 'recoded_same'), (10, 'not_taken_out'),
           (11, 'not_near_duplicate'), (12, 'drawn')
),
dialogue AS (
    SELECT d.industry, coalesce(d.industry || ': ' || c.category_id, 'not coded') AS category,
           coalesce(v.level, 'not rated') AS severity,
           CASE WHEN d.turn_count <= 2 THEN '2' WHEN d.turn_count <= 4 THEN '3 to 4'
                WHEN d.turn_count <= 8 THEN '5 to 8' ELSE '9 or more' END AS turns,
           CASE WHEN NOT s.is_kept THEN 0
                WHEN c.category_id IS NULL THEN 1
                WHEN NOT s.is_release_grade THEN 2
                WHEN k.scenario_id IS NULL OR k.rejection_reason = 'no_company_reply' THEN 3
                WHEN k.rejection_reason = 'task_failed' THEN 4
                WHEN k.rejection_reason = 'no_events' THEN 5
                WHEN k.rejection_reason = 'too_few_facts' THEN 6
                WHEN k.rejection_reason = 'ungrounded' THEN 7
                WHEN k.rejection_reason IN ('recoded_differently', 'recoded_unassigned') THEN 8
                WHEN k.rejection_reason = 'taken_out' THEN 9
                WHEN n.scenario_id IS NOT NULL THEN 10
                WHEN r.scenario_id IS NULL THEN 11
                ELSE 12 END AS reached
    FROM dialogues.dialogue AS d
    JOIN dialogues.screening AS s USING (dialogue_id)
    LEFT JOIN journeys.coding AS c USING (dialogue_id)
    LEFT JOIN scenarios.candidate AS k USING (dialogue_id)
    LEFT JOIN scenarios.severity AS v ON v.scenario_id = k.scenario_id
    LEFT JOIN scenarios.near_duplicate AS n ON n.scenario_id = k.scenario_id
    LEFT JOIN scenarios.scenario AS r ON r.scenario_id = k.scenario_id
),
cuts AS (
    SELECT 'all' AS "by", 'all' AS value, reached, count(*) AS dialogues FROM dialogue GROUP BY ALL
    UNION ALL SELECT 'industry', industry, reached, count(*) FROM dialogue GROUP BY ALL
    UNION ALL SELECT 'category', category, reached, count(*) FROM dialogue GROUP BY ALL
    UNION ALL SELECT 'severity', severity, reached, count(*) FROM dialogue GROUP BY ALL
    UNION ALL SELECT 'turns', turns, reached, count(*) FROM dialogue GROUP BY ALL
)
SELECT position, gate, "by", value,
       sum(dialogues)::BIGINT AS entered,
       coalesce(sum(dialogues) FILTER (reached >= position), 0)::BIGINT AS passed,
       passed / entered AS pass_rate
FROM gates JOIN cuts ON reached >= position - 1
GROUP BY ALL
ORDER BY position, "by", value
;
COMMENT ON VIEW release.gate_pass_rate IS 'One row per gate of the pipeline and value of a cut (all, industry, category, severity, turns of the dialogue) that any dialogue reached: how many entered, how many passed, and their share; what the gates select is seen here.'
;
COMMENT ON COLUMN release.gate_pass_rate.position IS 'Place of the gate in the pipeline, from 1.'
;
COMMENT ON COLUMN release.gate_pass_rate.gate IS 'What is asked: a complaint, coded to a category, above the release threshold, answered by the company, written by every task, with events, with enough facts, borne out by the source, coded to the same category again, not taken out by a person, not nearly the same as another one, drawn for the release.'
;
COMMENT ON COLUMN release.gate_pass_rate."by" IS 'What the dialogues are told apart by: all, industry, category, severity, turns.'
;
COMMENT ON COLUMN release.gate_pass_rate.value IS 'Value of that; `not coded` before a category, `not rated` where no severity was reached.'
;
COMMENT ON COLUMN release.gate_pass_rate.entered IS 'Dialogues that passed every gate before this one.'
;
COMMENT ON COLUMN release.gate_pass_rate.passed IS 'Dialogues of them that passed this one too.'
;
COMMENT ON COLUMN release.gate_pass_rate.pass_rate IS 'Share of those that entered.'
;
