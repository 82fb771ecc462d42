-- Total justice by category of the journey maps, over all agents; categories that nobody played are listed without one.
-- Beside each mean its empirical Bayes estimate, with the 95% interval of that.
SELECT c.industry, s.position AS stage_position, s.name AS stage, c.position, c.category_id, c.name AS category,
       avg(f.total) AS mean, stddev_samp(f.total) AS sd, count(f.total) AS n,
       count(DISTINCT f.scenario_id) AS scenarios, r.clusters, r.shrunken, r.low, r.high
FROM journeys.category AS c
JOIN journeys.stage AS s USING (industry, stage_id)
LEFT JOIN measures.conversation_fact AS f
  ON f.industry = c.industry AND f.category_id = c.category_id AND f.experiment_id = getvariable('experiment')
LEFT JOIN measures.category_ranking AS r
  ON r.experiment_id = getvariable('experiment') AND r.agent = 'all' AND r.industry = c.industry
 AND r.category_id = c.category_id
GROUP BY ALL
ORDER BY c.industry, stage_position, c.position, c.category_id
