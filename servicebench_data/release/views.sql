-- Views that an analyst would reach for first. Each statement ends with a line of its own that holds only `;`.
CREATE VIEW release.scenario_card AS
SELECT s.scenario_id, s.industry, st.position AS stage_position, st.name AS stage, c.name AS category, s.severity,
       s.split, s.opening, s.background, s.expectation, s.case_record, s.events, s.goodwill_limit_usd, s.made_by
FROM scenarios.scenario AS s
JOIN journeys.category AS c USING (industry, category_id)
JOIN journeys.stage AS st ON st.industry = s.industry AND st.stage_id = s.stage_id
ORDER BY s.industry, st.position, c.position, s.scenario_id
;
COMMENT ON VIEW release.scenario_card IS 'One row per released scenario with the names of its stage and category: start here.'
;
CREATE VIEW release.category_coverage AS
SELECT c.industry, st.position AS stage_position, st.name AS stage, c.category_id, c.name AS category,
       count(DISTINCT k.dialogue_id) AS dialogues, count(DISTINCT d.scenario_id) AS candidates,
       count(DISTINCT d.scenario_id) FILTER (WHERE d.is_valid) AS valid_candidates,
       count(DISTINCT s.scenario_id) AS scenarios
FROM journeys.category AS c
JOIN journeys.stage AS st ON st.industry = c.industry AND st.stage_id = c.stage_id
LEFT JOIN journeys.coding AS k ON k.industry = c.industry AND k.category_id = c.category_id
LEFT JOIN scenarios.candidate AS d ON d.dialogue_id = k.dialogue_id
LEFT JOIN scenarios.scenario AS s ON s.scenario_id = d.scenario_id
GROUP BY ALL
ORDER BY c.industry, st.position, c.category_id
;
COMMENT ON VIEW release.category_coverage IS 'One row per category of the journey maps, also those without a scenario: how many dialogues, candidates and scenarios it has.'
;
CREATE VIEW release.funnel AS
SELECT position, step, industry, outcome, row_count,
       row_count / sum(row_count) OVER (PARTITION BY step, industry) AS share
FROM release.build_step
ORDER BY position, industry, outcome
;
COMMENT ON VIEW release.funnel IS 'One row per step, industry and outcome: what went on and what left the pipeline, why, and its share of the step.'
;
CREATE VIEW release.fact_evidence AS
SELECT f.scenario_id, f.fact_id, f.kind, f.statement, f.value, f.disclosure, f.is_customer_only, f.is_inferred,
       f.quote, f.post_id, t.role, t.text AS turn_text
FROM scenarios.fact AS f
JOIN scenarios.candidate AS c USING (scenario_id)
LEFT JOIN dialogues.turn AS t ON t.dialogue_id = c.dialogue_id AND t.turn_index = f.turn_index
ORDER BY f.scenario_id, f.fact_id
;
COMMENT ON VIEW release.fact_evidence IS 'One row per fact with the masked turn that it rests on: check a scenario against its source here.'
;
CREATE VIEW release.rejected_candidate AS
SELECT c.scenario_id, c.industry, k.name AS category, r.name AS recoded_category, c.rejection_reason,
       list(g.part || ': ' || g."check" || ': ' || g.span ORDER BY g.failure_index)
           FILTER (WHERE NOT g.is_accepted) AS failures,
       f.task AS failed_task, f.tries AS failed_tries, f.reasons AS failed_reasons
FROM scenarios.candidate AS c
JOIN journeys.category AS k USING (industry, category_id)
LEFT JOIN journeys.category AS r ON r.industry = c.industry AND r.category_id = c.recoded_category_id
LEFT JOIN scenarios.grounding_failure AS g ON g.scenario_id = c.scenario_id
LEFT JOIN scenarios.task_failure AS f ON f.scenario_id = c.scenario_id
WHERE NOT c.is_valid
GROUP BY ALL
ORDER BY c.industry, c.scenario_id
;
COMMENT ON VIEW release.rejected_candidate IS 'One row per complaint that did not become a scenario, with the reason and what failed.'
;
