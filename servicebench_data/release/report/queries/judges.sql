-- Mean total that each judge gave each agent, with its standard deviation; the ensemble is the mean of all judges.
SELECT agent, judge, mean, sd, low, high, n, clusters, is_own_family, label
FROM measures.judge_consistency
WHERE experiment_id = getvariable('experiment') AND measure = 'total'
ORDER BY judge = 'ensemble', judge, agent
