-- Mean share of the closed facts that were out before each message of the agent, over all conversations; `running` is how
-- many were still held. Turns with fewer than 5 are left out.
SELECT agent, turn, mean, low, high, sd, n, clusters, running
FROM measures.coverage_by_turn
WHERE experiment_id = getvariable('experiment') AND mean IS NOT NULL AND running >= 5
ORDER BY agent, turn
