-- Whether a judge is kinder to agents of its own model family than people are, beyond its kindness to others.
SELECT judge, family, grading_version, difference, low, high, p, p_adjusted, own_bias, other_bias, own_transcripts,
       other_transcripts, clusters, label
FROM measures.self_preference
WHERE experiment_id = getvariable('experiment') AND dimension = 'total'
ORDER BY judge, grading_version
