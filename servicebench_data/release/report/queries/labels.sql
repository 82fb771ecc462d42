-- What every justice number of an agent is marked with, and whom judges of its own family scored: these are left out of
-- the headline.
SELECT DISTINCT agent, label, TRUE AS is_headline FROM measures.agent_measure
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND "by" = 'macro'
UNION ALL
SELECT DISTINCT agent, label, FALSE FROM measures.judge_consistency
WHERE experiment_id = getvariable('experiment') AND measure = 'total' AND label <> ''
ORDER BY agent, is_headline DESC, label
