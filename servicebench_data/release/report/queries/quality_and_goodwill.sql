-- Total justice against the goodwill that stands at the end (zeros included), both as means over industries.
SELECT q.agent, q.mean AS total, q.low AS total_low, q.high AS total_high,
       g.mean AS goodwill_usd, g.low AS goodwill_low, g.high AS goodwill_high, q.n, q.clusters, q.label
FROM measures.agent_measure AS q
JOIN measures.agent_measure AS g
  ON g.experiment_id = q.experiment_id AND g.agent = q.agent AND g."by" = q."by" AND g.value = q.value
WHERE q.experiment_id = getvariable('experiment') AND q."by" = 'macro' AND q.value = 'all'
  AND q.measure = 'total' AND g.measure = 'goodwill_standing_usd' AND q.mean IS NOT NULL AND g.mean IS NOT NULL
ORDER BY total DESC, q.agent
