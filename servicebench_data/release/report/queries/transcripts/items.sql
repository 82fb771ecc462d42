-- Scores of each item of the rubric, with the judge's quotes and the messages that they stand in.
SELECT s.conversation_id AS id, s.judge, s.dimension AS dim, s.item_id AS item, s.score, s.quotes, s.message_indexes AS ms
FROM judging.sub_score AS s
JOIN measures.conversation_fact AS f USING (conversation_id)
WHERE f.experiment_id = getvariable('experiment') AND s.grading_version IS NOT DISTINCT FROM f.grading_version
ORDER BY s.conversation_id, s.judge, s.dimension, s.item_id
