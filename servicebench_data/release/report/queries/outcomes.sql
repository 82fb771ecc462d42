-- How conversations ended, as shares of all that were started; the shares of an agent add up to 1. Beside them the rates over
-- the conversations with a result, and over those that agreed or left alone, each with its 95% interval.
SELECT f.agent, f.outcome, f.conversations, f.conversations / f.n AS share, f.n, r.rate, r.low, r.high, r.n AS rate_n, r.clusters,
       s.rate AS resolved_rate, s.low AS resolved_low, s.high AS resolved_high, s.n AS resolved_n
FROM (
    SELECT c.experiment_id, c.agent, o.outcome, count(*) FILTER (WHERE c.outcome = o.outcome) AS conversations, count(*) AS n,
           CASE o.outcome WHEN 'agreed' THEN 'agreement_rate' WHEN 'disengaged' THEN 'disengagement_rate'
                          WHEN 'unresolved' THEN 'unresolved_rate' END AS measure
    FROM measures.conversation_fact AS c
    JOIN (SELECT DISTINCT experiment_id, outcome FROM measures.conversation_fact) AS o USING (experiment_id)
    WHERE c.experiment_id = getvariable('experiment')
    GROUP BY ALL
) AS f
LEFT JOIN measures.outcome_rate AS r
  ON r.experiment_id = f.experiment_id AND r.agent = f.agent AND r.measure = f.measure AND r."by" = 'all'
LEFT JOIN measures.outcome_rate AS s
  ON s.experiment_id = f.experiment_id AND s.agent = f.agent AND s.measure = f.measure || '_resolved' AND s."by" = 'all'
ORDER BY f.agent, f.outcome
