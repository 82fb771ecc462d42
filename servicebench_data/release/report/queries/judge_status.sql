-- Whether each judge has been held against people's scores.
SELECT judge, grading_version, status, transcripts, raters, reason
FROM measures.judge_status
WHERE experiment_id = getvariable('experiment')
ORDER BY judge, grading_version
