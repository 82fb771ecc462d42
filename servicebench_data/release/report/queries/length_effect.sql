-- How many standard deviations of score go with one of log words per message; agent, scenario, style and turns held fixed.
SELECT measure, beta, low, high, t, p, p_adjusted, n, clusters, label
FROM measures.length_effect
WHERE experiment_id = getvariable('experiment') AND beta IS NOT NULL
ORDER BY list_position(['total', 'interactional', 'procedural', 'distributive'], measure)
