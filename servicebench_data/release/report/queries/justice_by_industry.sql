-- Total justice by agent and industry.
SELECT agent, value AS industry, mean, low, high, sd, n, clusters, label
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'industry' AND mean IS NOT NULL
ORDER BY agent, industry
