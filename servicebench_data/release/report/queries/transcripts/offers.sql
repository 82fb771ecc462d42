-- Offers in order.
SELECT o.conversation_id AS id, o.message_index AS m, o.kind, o.relation, o.amount_usd AS usd, o.policy_id AS policy,
       o.description AS text, o.quote, o.is_over_limit AS over
FROM simulation.offer AS o
JOIN simulation.conversation AS c USING (conversation_id)
WHERE c.experiment_id = getvariable('experiment')
ORDER BY o.conversation_id, o.message_index, o.offer_index
