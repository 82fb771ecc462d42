-- Messages in order.
SELECT m.conversation_id AS id, m.text, m.reasoning, m.attitude, m.patience
FROM simulation.message AS m
JOIN simulation.conversation AS c USING (conversation_id)
WHERE c.experiment_id = getvariable('experiment')
ORDER BY m.conversation_id, m.message_index
