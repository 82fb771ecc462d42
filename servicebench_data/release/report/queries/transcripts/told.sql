-- Facts that the customer told, with the words that tell them.
SELECT d.conversation_id AS id, d.message_index AS m, d.fact_id AS fact, d.disclosed_by AS "by", d.quote
FROM simulation.fact_disclosure AS d
JOIN simulation.conversation AS c USING (conversation_id)
WHERE c.experiment_id = getvariable('experiment')
ORDER BY d.conversation_id, d.message_index, d.fact_id
