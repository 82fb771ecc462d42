-- Price of a conversation's model calls, agent, customer and gate together; that of the judges beside it, for all.
SELECT agent, cost_per_conversation_usd AS mean, low, high, sd, n, clusters, unknown, cost_usd, judge_cost_usd
FROM measures.cost_by_agent
WHERE experiment_id = getvariable('experiment')
ORDER BY mean DESC NULLS LAST, agent
