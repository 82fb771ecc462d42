-- What judges give for words that say nothing: scores of conversations with longer messages of the agent, less those without.
SELECT judge, judge_made_by, grading_version, measure, shift, low, high, sd, original_mean, padded_mean, words_ratio, n, missing,
       clusters, label
FROM measures.padding_effect
WHERE experiment_id = getvariable('experiment')
ORDER BY judge, grading_version, list_position(['total', 'interactional', 'procedural', 'distributive'], measure)
