-- What the gate saw in an agent's message.
SELECT g.conversation_id AS id, g.message_index AS m, g.flag, g.quote
FROM simulation.gate_flag AS g
JOIN simulation.conversation AS c USING (conversation_id)
WHERE c.experiment_id = getvariable('experiment') AND g.is_set
ORDER BY g.conversation_id, g.message_index, g.flag
