-- Words of an agent's message, a mean over conversations.
SELECT agent, measure, mean, low, high, sd, n, clusters
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'words_per_agent_message' AND "by" = 'all'
  AND mean IS NOT NULL
ORDER BY agent
