-- What was played: each agent with its model, its conversations, and the scenarios they are about.
SELECT c.agent, c.agent_made_by, c.reasoning, c.guidance, count(*) AS conversations,
       count(*) FILTER (WHERE c.is_valid) AS valid, count(DISTINCT c.scenario_id) AS scenarios,
       count(DISTINCT c.repeat) AS repeats, bool_or(c.is_self_play) AS is_self_play,
       list_sort(list(DISTINCT c.customer || ' (' || c.customer_made_by || ')')) AS customers
FROM simulation.conversation AS c
WHERE c.experiment_id = getvariable('experiment')
GROUP BY ALL
ORDER BY c.agent
