-- The scenarios that were played, with the names of their stage and category.
SELECT s.scenario_id AS id, s.industry, t.name AS stage, c.category_id, c.name AS category, s.severity,
       s.expectation, s.case_record AS record, s.goodwill_limit_usd AS "limit"
FROM scenarios.scenario AS s
JOIN journeys.category AS c USING (industry, category_id)
JOIN journeys.stage AS t ON t.industry = s.industry AND t.stage_id = s.stage_id
WHERE s.scenario_id IN (SELECT scenario_id FROM simulation.conversation WHERE experiment_id = getvariable('experiment'))
ORDER BY s.scenario_id
