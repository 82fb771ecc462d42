-- Exchanges of a conversation.
SELECT agent, measure, mean, low, high, sd, n, clusters
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'exchanges' AND "by" = 'all' AND mean IS NOT NULL
ORDER BY agent
