-- Conversations of the experiment; where they are more than the page can hold, those on an even choice of scenarios.
WITH chosen AS (
    SELECT scenario_id
    FROM (
        SELECT scenario_id, sum(count(*)) OVER (ORDER BY md5(scenario_id), scenario_id) AS so_far
        FROM simulation.conversation
        WHERE experiment_id = getvariable('experiment')
        GROUP BY scenario_id
    )
    WHERE so_far <= getvariable('page_limit')
)
SELECT f.conversation_id AS id, f.scenario_id AS scenario, f.agent, f.customer, f.style, f.disclosure, f.guidance,
       f.reasoning, f.repeat, f.outcome, c.end_reason AS reason, f.exchanges, f.is_valid AS valid,
       f.is_self_play AS selfplay, f.total, f.interactional AS i, f.procedural AS p, f.distributive AS d,
       f.grading_version AS grading, f.goodwill_standing_usd AS goodwill, f.first_goodwill AS first
FROM measures.conversation_fact AS f
JOIN simulation.conversation AS c USING (conversation_id)
JOIN chosen ON chosen.scenario_id = f.scenario_id
WHERE f.experiment_id = getvariable('experiment')
ORDER BY f.industry, f.scenario_id, f.agent, f.style, f.disclosure, f.repeat, f.conversation_id
