-- Total justice by category of the journey maps, over all agents; categories that nobody played are listed without one.
SELECT c.industry, s.position AS stage_position, s.name AS stage, c.position, c.category_id, c.name AS category,
       avg(f.total) AS mean, stddev_samp(f.total) AS sd, count(f.total) AS n,
       count(DISTINCT f.scenario_id) AS scenarios
FROM journeys.category AS c
JOIN journeys.stage AS s USING (industry, stage_id)
LEFT JOIN measures.conversation_fact AS f
  ON f.industry = c.industry AND f.category_id = c.category_id AND f.experiment_id = getvariable('experiment')
GROUP BY ALL
ORDER BY c.industry, stage_position, c.position, c.category_id
