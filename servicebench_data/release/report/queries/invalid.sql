-- Share of conversations that the simulator spoilt, and of those that the agent or its endpoint did; beside them what
-- total justice would be had the spoilt ones got 1 (worst) or 5 (best).
SELECT m.agent, m.measure, m.mean, m.low, m.high, m.sd, m.n, m.clusters, i.total, i.total_low, i.total_high,
       i.total_worst, i.total_best, i.label
FROM measures.agent_measure AS m
LEFT JOIN measures.invalid_share AS i USING (experiment_id, agent)
WHERE m.experiment_id = getvariable('experiment') AND m.measure IN ('invalid_rate', 'failed_rate') AND m."by" = 'all'
  AND m.mean IS NOT NULL
ORDER BY m.agent, m.measure DESC
