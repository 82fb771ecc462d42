-- Share of conversations that had ended so by a turn, as competing risks.
SELECT agent, outcome, turn, incidence, low, high, at_risk
FROM measures.cumulative_outcome
WHERE experiment_id = getvariable('experiment')
ORDER BY outcome, agent, turn
