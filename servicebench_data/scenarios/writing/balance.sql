-- Scenarios that a task lost, counted twice, or was never asked for; none where rows in are rows made plus rows failed.
-- Views: candidate, event, severity, background, expectation, case_policy, task_failure.
WITH written AS (FROM candidate WHERE made_by <> 'offline'),
made AS (
    SELECT 'events' AS task, scenario_id FROM event SEMI JOIN written USING (scenario_id)
    UNION SELECT 'events', scenario_id FROM written WHERE rejection_reason = 'no_events'
    UNION SELECT 'severity', scenario_id FROM severity SEMI JOIN written USING (scenario_id)
    UNION SELECT 'background', scenario_id FROM background SEMI JOIN written USING (scenario_id)
    UNION SELECT 'expectation', scenario_id FROM expectation SEMI JOIN written USING (scenario_id)
    -- The record may be empty; its policies are there as soon as it is made.
    UNION SELECT 'case_record', scenario_id FROM case_policy SEMI JOIN written USING (scenario_id)
),
passed_on AS (
    FROM made SEMI JOIN (FROM written WHERE rejection_reason IS NULL OR rejection_reason <> 'no_events') USING (scenario_id)
),
came AS (
    SELECT 'events' AS task, scenario_id FROM written
    UNION ALL SELECT 'severity', scenario_id FROM passed_on WHERE task = 'events'
    UNION ALL SELECT 'background', scenario_id FROM passed_on WHERE task = 'severity'
    UNION ALL SELECT 'expectation', scenario_id
    FROM passed_on JOIN written USING (scenario_id)
    WHERE task = 'background' AND rejection_reason IS DISTINCT FROM 'too_few_facts'
    UNION ALL SELECT 'case_record', scenario_id FROM passed_on WHERE task = 'expectation'
),
accounted AS (
    SELECT task, scenario_id, count(*) AS times
    FROM (FROM made UNION ALL SELECT task, scenario_id FROM task_failure)
    GROUP BY task, scenario_id
),
wrong AS (
    SELECT task, scenario_id,
           CASE WHEN came.scenario_id IS NULL THEN 'was not asked for'
                WHEN accounted.scenario_id IS NULL THEN 'was lost'
                ELSE 'counts more than once' END AS problem
    FROM came FULL JOIN accounted USING (task, scenario_id)
    WHERE came.scenario_id IS NULL OR accounted.times IS DISTINCT FROM 1
    UNION ALL
    SELECT 'rejection', scenario_id, 'is rejected as task_failed without a failed task, or failed and is not rejected so'
    FROM candidate AS c
    WHERE (coalesce(rejection_reason, '') = 'task_failed')
          <> EXISTS (SELECT 1 FROM task_failure AS f WHERE f.scenario_id = c.scenario_id)
)
SELECT task, scenario_id, problem FROM wrong ORDER BY task, scenario_id
