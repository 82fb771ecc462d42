-- How much a judge favours an agent, its own leniency and the agent's merit taken out, in standard deviations.
SELECT agent, judge, advantage, p, p_adjusted, is_own_family, n, clusters, label
FROM measures.judge_advantage
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND advantage IS NOT NULL
ORDER BY judge, agent
