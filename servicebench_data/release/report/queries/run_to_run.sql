-- How far runs of the same set agree: the mean of each run, and over all of them their spread and intraclass correlation.
SELECT agent, measure, run, mean, mean_low, mean_high, sd, icc, low, high, n, clusters, label
FROM measures.run_to_run
WHERE experiment_id = getvariable('experiment')
ORDER BY list_position(['total', 'interactional', 'procedural', 'distributive', 'agreement_rate', 'disengagement_rate',
                        'goodwill_standing_usd', 'exchanges'], measure), agent, run = 'all', TRY_CAST(run AS BIGINT)
