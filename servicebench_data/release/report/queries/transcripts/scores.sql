-- Scores of each judge with the reason, of the grading version that the figures show.
SELECT s.conversation_id AS id, s.judge, s.dimension AS dim, s.status, s.score, s.reason, s.is_own_family AS own
FROM judging.score AS s
JOIN measures.conversation_fact AS f USING (conversation_id)
WHERE f.experiment_id = getvariable('experiment') AND s.grading_version IS NOT DISTINCT FROM f.grading_version
ORDER BY s.conversation_id, s.judge, list_position(['interactional', 'procedural', 'distributive'], s.dimension)
