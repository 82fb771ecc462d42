-- Total justice by the customer's style.
SELECT value AS style, agent, mean, low, high, sd, n, clusters, label
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'style' AND mean IS NOT NULL
ORDER BY style, agent
