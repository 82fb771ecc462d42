-- Total justice as judges gave it, and as people would have by the line through what they rated.
SELECT judge, agent, raw, calibrated, low, high, n, clusters, calibration_transcripts, calibration_clusters,
       calibrated_error, raw_error, label
FROM measures.justice_calibrated_to_people
WHERE experiment_id = getvariable('experiment') AND dimension = 'total'
ORDER BY judge <> 'ensemble', judge, agent
