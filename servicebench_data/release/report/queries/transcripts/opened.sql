-- Closed facts that an agent's message opened, with the words that did it.
SELECT o.conversation_id AS id, o.message_index AS m, o.fact_id AS fact, o.opened_by AS "by", o.quote
FROM simulation.fact_opening AS o
JOIN simulation.conversation AS c USING (conversation_id)
WHERE c.experiment_id = getvariable('experiment')
ORDER BY o.conversation_id, o.message_index, o.fact_id
