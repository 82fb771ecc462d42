-- What every justice number of an agent is marked with.
SELECT DISTINCT agent, label FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'macro'
ORDER BY agent, label
