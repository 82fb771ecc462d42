-- Total justice by how an agent is told to reason and by the guidance in its prompt; agents of one model form a group.
SELECT f.agent_made_by AS model, f.reasoning, f.guidance, m.agent, m.mean, m.low, m.high, m.sd, m.n, m.clusters, m.label
FROM measures.agent_measure AS m
JOIN (SELECT DISTINCT experiment_id, agent, agent_made_by, reasoning, guidance FROM measures.conversation_fact) AS f
  USING (experiment_id, agent)
WHERE m.experiment_id = getvariable('experiment') AND m.measure = 'total' AND m."by" = 'macro' AND m.value = 'all'
  AND m.mean IS NOT NULL
ORDER BY model, f.guidance, f.reasoning, m.agent
