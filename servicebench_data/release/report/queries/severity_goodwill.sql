-- Goodwill that stands at the end, as a share of the limit, by how grave the case is.
SELECT value AS severity, agent, mean, low, high, sd, n, clusters
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'goodwill_normalised' AND "by" = 'severity'
  AND mean IS NOT NULL
ORDER BY list_position(['low', 'medium', 'high'], value), agent
