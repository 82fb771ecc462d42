-- What the judges were asked.
SELECT DISTINCT r.dimension AS dim, r.item_id AS item, r.question
FROM judging.rubric_item AS r
JOIN measures.conversation_fact AS f ON f.grading_version = r.grading_version
WHERE f.experiment_id = getvariable('experiment')
ORDER BY ALL
