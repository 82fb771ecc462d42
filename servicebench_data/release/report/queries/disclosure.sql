-- Total justice when facts come out bit by bit (progressive), and when the customer tells all at once.
SELECT agent, value AS disclosure, mean, low, high, sd, n, clusters, label
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'disclosure' AND mean IS NOT NULL
ORDER BY agent, disclosure DESC
