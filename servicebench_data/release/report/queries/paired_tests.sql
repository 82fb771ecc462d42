-- Differences in total justice between agents on the same scenarios; p-values adjusted by Holm over all pairs.
SELECT agent_a, agent_b, difference, low, high, p, p_adjusted, adjustment, n, clusters, is_comparable,
       worst_case, best_case, label
FROM measures.agent_contrast
WHERE experiment_id = getvariable('experiment') AND is_primary
ORDER BY abs(difference) DESC NULLS LAST, agent_a, agent_b
