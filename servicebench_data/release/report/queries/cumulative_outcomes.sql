-- Share of conversations that had ended so by a turn, as competing risks.
SELECT agent, outcome, turn, incidence, low, high, interval, at_risk, n, clusters
FROM measures.cumulative_outcome
WHERE experiment_id = getvariable('experiment')
ORDER BY outcome, agent, turn
