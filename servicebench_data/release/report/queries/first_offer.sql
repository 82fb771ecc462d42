-- The agent's turn at which goodwill was first offered, as shares of all conversations with a result.
SELECT agent, first_goodwill, share, sd, low, high, round(share * n)::BIGINT AS conversations, n, clusters
FROM measures.first_offer_timing
WHERE experiment_id = getvariable('experiment') AND "by" = 'all' AND share IS NOT NULL
ORDER BY agent, first_goodwill
