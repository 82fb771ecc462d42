-- Share of the customer's closed facts that were out when goodwill was first offered; where it never was, at the end.
SELECT agent, value AS first_goodwill, mean, low, high, sd, n, clusters
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'coverage_all' AND "by" IN ('all', 'first_goodwill')
  AND mean IS NOT NULL
ORDER BY agent, list_position(['all', 'T1', 'T2', 'T3+', 'never'], value)
