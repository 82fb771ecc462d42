-- Faults of the customer simulator by kind: how many there were, and how many a later try of the message mended.
SELECT customer, kind, sum(faults)::BIGINT AS faults, sum(mended)::BIGINT AS mended,
       (SELECT count(*) FROM simulation.conversation WHERE experiment_id = getvariable('experiment')) AS n
FROM measures.simulator_faults
WHERE experiment_id = getvariable('experiment')
GROUP BY customer, kind
ORDER BY faults DESC, customer, kind
