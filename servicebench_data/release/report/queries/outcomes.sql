-- How conversations ended, as shares of all that were started. The shares of an agent add up to 1.
SELECT agent, outcome, count(*) AS conversations,
       count(*) / sum(count(*)) OVER (PARTITION BY agent) AS share,
       sum(count(*)) OVER (PARTITION BY agent)::BIGINT AS n
FROM measures.conversation_fact
WHERE experiment_id = getvariable('experiment')
GROUP BY agent, outcome
ORDER BY agent, outcome
