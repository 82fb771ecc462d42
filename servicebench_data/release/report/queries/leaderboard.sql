-- Justice of each agent: the unweighted mean over industries, with its 95% interval clustered by source dialogue.
SELECT agent, measure, mean, low, high, sd, n, missing, clusters, label
FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND "by" = 'macro' AND value = 'all'
  AND measure IN ('total', 'interactional', 'procedural', 'distributive')
ORDER BY max(mean) FILTER (WHERE measure = 'total') OVER (PARTITION BY agent) DESC NULLS LAST, agent,
         list_position(['total', 'interactional', 'procedural', 'distributive'], measure)
