-- Total justice by how grave the case is.
SELECT value AS severity, agent, mean, low, high, sd, n, clusters, label
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'severity' AND mean IS NOT NULL
ORDER BY list_position(['low', 'medium', 'high'], value), agent
