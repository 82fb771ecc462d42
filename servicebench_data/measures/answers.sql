-- Views that answer by name: which agent is more just, where, to whom, at what price. Each statement ends with a line of
-- its own that holds only `;`. Means and intervals are those of `agent_measure`; nothing is averaged here.
CREATE VIEW measures.leaderboard AS
WITH found AS (
    SELECT experiment_id, agent, measure, missing, clusters, label,
           {'n': n, 'mean': mean, 'sd': sd, 'low': low, 'high': high} AS it
    FROM measures.agent_measure
    WHERE "by" = 'macro'
),
headline AS (
    SELECT experiment_id, agent,
           max(missing) FILTER (WHERE measure = 'total') AS missing,
           max(clusters) FILTER (WHERE measure = 'total') AS clusters,
           max(label) FILTER (WHERE measure = 'total') AS label,
           any_value(it) FILTER (WHERE measure = 'total') AS t,
           any_value(it) FILTER (WHERE measure = 'interactional') AS i,
           any_value(it) FILTER (WHERE measure = 'procedural') AS p,
           any_value(it) FILTER (WHERE measure = 'distributive') AS d,
           any_value(it) FILTER (WHERE measure = 'agreement_rate') AS agreed,
           any_value(it) FILTER (WHERE measure = 'disengagement_rate') AS left_,
           any_value(it) FILTER (WHERE measure = 'unresolved_rate') AS unresolved,
           any_value(it) FILTER (WHERE measure = 'agreement_rate_resolved') AS agreed_resolved,
           any_value(it) FILTER (WHERE measure = 'disengagement_rate_resolved') AS left_resolved,
           any_value(it) FILTER (WHERE measure = 'goodwill_standing_usd') AS goodwill,
           any_value(it) FILTER (WHERE measure = 'violation_rate') AS violated
    FROM found
    GROUP BY experiment_id, agent
),
prevalence AS (
    SELECT experiment_id, agent, mean AS total_prevalence, sd AS total_prevalence_sd, low AS total_prevalence_low,
           high AS total_prevalence_high
    FROM measures.agent_measure
    WHERE "by" = 'prevalence' AND measure = 'total'
)
SELECT experiment_id,
       CASE WHEN is_ranked THEN rank() OVER (PARTITION BY experiment_id, is_ranked ORDER BY t.mean DESC) END AS place,
       agent, t.n AS n, missing, clusters, t.mean AS total, t.sd AS total_sd, t.low AS total_low, t.high AS total_high,
       i.mean AS interactional,
       p.mean AS procedural,
       d.mean AS distributive,
       agreed.mean AS agreement_rate,
       left_.mean AS disengagement_rate,
       unresolved.mean AS unresolved_rate,
       agreed_resolved.mean AS agreement_rate_resolved,
       left_resolved.mean AS disengagement_rate_resolved,
       goodwill.mean AS goodwill_standing_usd,
       violated.mean AS violation_rate,
       total_prevalence, total_prevalence_sd, total_prevalence_low, total_prevalence_high,
       i.n AS interactional_n, i.sd AS interactional_sd, i.low AS interactional_low, i.high AS interactional_high,
       p.n AS procedural_n, p.sd AS procedural_sd, p.low AS procedural_low, p.high AS procedural_high,
       d.n AS distributive_n, d.sd AS distributive_sd, d.low AS distributive_low, d.high AS distributive_high,
       agreed.n AS agreement_rate_n, agreed.sd AS agreement_rate_sd,
       agreed.low AS agreement_rate_low, agreed.high AS agreement_rate_high,
       left_.n AS disengagement_rate_n, left_.sd AS disengagement_rate_sd,
       left_.low AS disengagement_rate_low, left_.high AS disengagement_rate_high,
       unresolved.n AS unresolved_rate_n, unresolved.sd AS unresolved_rate_sd,
       unresolved.low AS unresolved_rate_low, unresolved.high AS unresolved_rate_high,
       agreed_resolved.n AS agreement_rate_resolved_n, agreed_resolved.sd AS agreement_rate_resolved_sd,
       agreed_resolved.low AS agreement_rate_resolved_low, agreed_resolved.high AS agreement_rate_resolved_high,
       left_resolved.n AS disengagement_rate_resolved_n, left_resolved.sd AS disengagement_rate_resolved_sd,
       left_resolved.low AS disengagement_rate_resolved_low, left_resolved.high AS disengagement_rate_resolved_high,
       goodwill.n AS goodwill_standing_usd_n, goodwill.sd AS goodwill_standing_usd_sd,
       goodwill.low AS goodwill_standing_usd_low, goodwill.high AS goodwill_standing_usd_high,
       violated.n AS violation_rate_n, violated.sd AS violation_rate_sd,
       violated.low AS violation_rate_low, violated.high AS violation_rate_high,
       label
FROM (
    SELECT *, t.mean IS NOT NULL AND NOT regexp_matches(label, 'judge refused|rule engine') AS is_ranked
    FROM headline LEFT JOIN prevalence USING (experiment_id, agent)
)
ORDER BY experiment_id, place NULLS LAST, agent
;
COMMENT ON VIEW measures.leaderboard IS 'One row per experiment and agent: start here. Total justice and what it is made of, outcomes and goodwill, each as the unweighted mean of the industries'' means; the number of conversations, the standard deviation and the 95% interval of each stand behind them as `_n`, `_sd`, `_low` and `_high`. Whether two agents differ is in agent_contrast, never in overlapping intervals.'
;
COMMENT ON COLUMN measures.leaderboard.place IS 'Place by total justice; none without scores, where a judge is refused, or where the rule engine scored: it is no judge of quality.'
;
COMMENT ON COLUMN measures.leaderboard.n IS 'Conversations with a total.'
;
COMMENT ON COLUMN measures.leaderboard.missing IS 'Conversations without one: no result, or not every judge scored.'
;
COMMENT ON COLUMN measures.leaderboard.clusters IS 'Clusters of source dialogues among those.'
;
COMMENT ON COLUMN measures.leaderboard.total IS 'Mean of the three dimensions, 1 to 5: the headline.'
;
COMMENT ON COLUMN measures.leaderboard.total_low IS 'Lower end of its 95% interval, clustered by source dialogue.'
;
COMMENT ON COLUMN measures.leaderboard.total_prevalence IS 'The same, each conversation weighing as much as the complaints that its scenario stands for.'
;
COMMENT ON COLUMN measures.leaderboard.label IS 'What a reader must know beside the figures; empty where nothing.'
;
CREATE VIEW measures.justice_by_industry AS
SELECT experiment_id, value AS industry, agent, measure, n, missing, clusters, mean, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE "by" = 'industry' AND measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved', 'goodwill_standing_usd')
ORDER BY experiment_id, industry, agent, measure
;
COMMENT ON VIEW measures.justice_by_industry IS 'One row per industry, agent and measure of justice, outcome or goodwill: in which industry an agent is how just (SB Table 1).'
;
CREATE VIEW measures.justice_by_severity AS
SELECT m.experiment_id, m.value AS severity, m.agent, m.measure, m.n, m.missing, m.clusters, m.mean, m.sd,
       m.standard_error, m.low, m.high, s.mean AS standardised, s.low AS standardised_low, s.high AS standardised_high,
       m.label
FROM measures.agent_measure AS m
LEFT JOIN measures.agent_measure AS s
       ON s.experiment_id = m.experiment_id AND s.agent = m.agent AND s.measure = m.measure AND s.value = m.value
      AND s."by" = 'severity_mix'
WHERE m."by" = 'severity' AND m.measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved')
ORDER BY m.experiment_id, m.agent, m.measure, m.value
;
COMMENT ON VIEW measures.justice_by_severity IS 'One row per severity, agent and measure of justice or outcome: whether graver cases are treated otherwise.'
;
COMMENT ON COLUMN measures.justice_by_severity.standardised IS 'The mean with every industry weighing the same in each severity, over the industries that have every severity, so that severities differ by no mix of industries.'
;
CREATE VIEW measures.justice_by_style AS
SELECT experiment_id, value AS style, agent, measure, n, missing, clusters, mean, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE "by" = 'style' AND measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved', 'goodwill_standing_usd')
ORDER BY experiment_id, agent, measure, style
;
COMMENT ON VIEW measures.justice_by_style IS 'One row per style of the customer, agent and measure: whether an agent is as just to a cold or passive customer (SB Figure 5).'
;
CREATE VIEW measures.justice_by_guidance AS
SELECT m.experiment_id, c.agent_made_by, m.value AS guidance, c.reasoning, m.agent, m.measure, m.n, m.missing, m.clusters,
       m.mean, m.sd, m.standard_error, m.low, m.high, m.label
FROM measures.agent_measure AS m
JOIN (SELECT DISTINCT experiment_id, agent, agent_made_by, reasoning FROM simulation.conversation) AS c
     USING (experiment_id, agent)
WHERE m."by" = 'guidance' AND m.measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved', 'goodwill_standing_usd')
ORDER BY m.experiment_id, c.agent_made_by, m.value, c.reasoning, m.agent, m.measure
;
COMMENT ON VIEW measures.justice_by_guidance IS 'One row per model, guidance, reasoning and measure: what advice in the prompt and ways of reasoning do (SB Table 2, SB Figure 3). An agent of an experiment has one of each.'
;
CREATE VIEW measures.justice_by_disclosure AS
SELECT experiment_id, value AS disclosure, agent, measure, n, missing, clusters, mean, sd, standard_error, low, high,
       label
FROM measures.agent_measure
WHERE "by" = 'disclosure' AND measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved', 'goodwill_standing_usd')
ORDER BY experiment_id, agent, measure, disclosure
;
COMMENT ON VIEW measures.justice_by_disclosure IS 'One row per way of disclosure, agent and measure: what it is worth to an agent to be told everything at once (SB Figure 4).'
;
CREATE VIEW measures.justice_by_customer AS
SELECT experiment_id, value AS customer, agent, measure, n, missing, clusters, mean, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE "by" = 'customer' AND measure IN (
    'interactional', 'procedural', 'distributive', 'total', 'disengagement_rate', 'agreement_rate', 'unresolved_rate',
    'disengagement_rate_resolved', 'agreement_rate_resolved', 'goodwill_standing_usd', 'exchanges',
    'words_per_agent_message')
ORDER BY experiment_id, agent, measure, customer
;
COMMENT ON VIEW measures.justice_by_customer IS 'One row per customer simulator, agent and measure: whether agents keep their order, and talk as long, whoever plays the customer (SB Table 9).'
;
CREATE VIEW measures.goodwill_by_agent AS
SELECT experiment_id, agent, "by", value, measure, n, missing, clusters, mean, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE measure IN ('goodwill_offered_max_usd', 'goodwill_standing_usd', 'goodwill_accepted_usd', 'goodwill_normalised',
                  'violation_rate')
  AND "by" IN ('all', 'macro', 'industry', 'severity', 'style')
ORDER BY experiment_id, agent, measure, "by", value
;
COMMENT ON VIEW measures.goodwill_by_agent IS 'One row per agent, cut and measure of goodwill: the most that was on the table, what stands at the end (the headline, zeros included), what was accepted, that over the limit of the scenario, and how often the limit was passed. What policy owes is not among it.'
;
CREATE VIEW measures.goodwill_by_severity AS
SELECT m.experiment_id, m.value AS severity, m.agent, m.n, m.missing, m.clusters, m.mean, m.sd, m.standard_error, m.low,
       m.high, s.mean AS standardised, s.low AS standardised_low, s.high AS standardised_high,
       CASE WHEN count(s.mean) OVER others >= 4 AND stddev_samp(s.mean) OVER others > 1e-9
            THEN (s.mean - avg(s.mean) OVER others) / stddev_samp(s.mean) OVER others END AS z,
       m.label
FROM measures.agent_measure AS m
LEFT JOIN measures.agent_measure AS s
       ON s.experiment_id = m.experiment_id AND s.agent = m.agent AND s.measure = m.measure AND s.value = m.value
      AND s."by" = 'severity_mix'
WHERE m."by" = 'severity' AND m.measure = 'goodwill_normalised'
WINDOW others AS (PARTITION BY m.experiment_id, m.value)
ORDER BY m.experiment_id, m.value, m.agent
;
COMMENT ON VIEW measures.goodwill_by_severity IS 'One row per severity and agent: standing goodwill over the limit, and whether it grows with what the case weighs (SB Table 4).'
;
COMMENT ON COLUMN measures.goodwill_by_severity.standardised IS 'The mean with every industry weighing the same in each severity, over the industries that have every severity.'
;
COMMENT ON COLUMN measures.goodwill_by_severity.z IS 'The standardised mean in standard deviations (ddof 1) of the experiment''s agents from their mean, within the severity; missing for fewer than four agents and where all are alike.'
;
CREATE VIEW measures.goodwill_by_industry AS
SELECT experiment_id, value AS industry, agent, n, missing, clusters, mean, sd, standard_error, low, high,
       CASE WHEN count(mean) OVER others >= 4 AND stddev_samp(mean) OVER others > 1e-9
            THEN (mean - avg(mean) OVER others) / stddev_samp(mean) OVER others END AS z,
       label
FROM measures.agent_measure
WHERE "by" = 'industry' AND measure = 'goodwill_normalised'
WINDOW others AS (PARTITION BY experiment_id, value)
ORDER BY experiment_id, industry, agent
;
COMMENT ON VIEW measures.goodwill_by_industry IS 'One row per industry and agent: standing goodwill over the limit, and how it stands among the agents (SB Table 11).'
;
COMMENT ON COLUMN measures.goodwill_by_industry.z IS 'The mean in standard deviations (ddof 1) of the experiment''s agents from their mean, within the industry; missing for fewer than four agents and where all are alike.'
;
CREATE VIEW measures.first_offer_timing AS
SELECT experiment_id, agent,
       CASE measure WHEN 'first_goodwill_t1' THEN 'T1' WHEN 'first_goodwill_t2' THEN 'T2'
                    WHEN 'first_goodwill_t3plus' THEN 'T3+' ELSE 'never' END AS first_goodwill,
       "by", value, n, missing, clusters, mean AS share, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE starts_with(measure, 'first_goodwill_') AND "by" IN ('all', 'macro', 'industry', 'severity')
ORDER BY experiment_id, agent, "by", value, first_goodwill
;
COMMENT ON VIEW measures.first_offer_timing IS 'One row per agent, cut and turn of the first goodwill offer (T1, T2, T3+, never): the share of dialogues that it falls into (SB Table 3, left).'
;
CREATE VIEW measures.coverage_at_commitment AS
SELECT experiment_id, agent, value AS first_goodwill, measure, n, missing, clusters, mean, sd, standard_error, low, high,
       label
FROM measures.agent_measure
WHERE starts_with(measure, 'coverage_') AND ("by" = 'first_goodwill' OR ("by" = 'all' AND value = 'all'))
ORDER BY experiment_id, agent, measure, first_goodwill
;
COMMENT ON VIEW measures.coverage_at_commitment IS 'One row per agent, turn of the first goodwill offer and kind of coverage: what the agent knew of what only the customer knows when it made the offer (SB Table 3, right; our definition). Dialogues without an offer stand under `never`, at their final coverage; `all` is over all of them.'
;
CREATE VIEW measures.coverage_by_turn AS
SELECT m.experiment_id, m.agent, TRY_CAST(m.value AS BIGINT) AS turn, m.n, m.missing, m.clusters, r.running, m.mean, m.sd,
       m.standard_error, m.low, m.high, m.label
FROM measures.agent_measure AS m
JOIN (SELECT experiment_id, agent, turn, count(*) AS running FROM measures.turn_fact GROUP BY ALL) AS r
     ON r.experiment_id = m.experiment_id AND r.agent = m.agent AND r.turn = TRY_CAST(m.value AS BIGINT)
WHERE m."by" = 'turn'
ORDER BY m.experiment_id, m.agent, turn
;
COMMENT ON VIEW measures.coverage_by_turn IS 'One row per agent and agent turn: share of what only the customer knows that was out before it, over all dialogues; those that were over by then stand at their final coverage, so that later turns are no selection.'
;
COMMENT ON COLUMN measures.coverage_by_turn.running IS 'Dialogues in which the agent still wrote at this turn.'
;
CREATE VIEW measures.outcome_rate AS
SELECT experiment_id, agent, "by", value, measure, n, missing, clusters, mean AS rate, sd, standard_error, low, high,
       design_effect, label
FROM measures.agent_measure
WHERE measure IN ('agreement_rate', 'disengagement_rate', 'unresolved_rate', 'failed_rate', 'agreement_rate_resolved',
                  'disengagement_rate_resolved')
ORDER BY experiment_id, agent, "by", value, measure
;
COMMENT ON VIEW measures.outcome_rate IS 'One row per agent, cut and outcome: agreed, disengaged and unresolved sum to 1 over the conversations with a result; the rates `_resolved` are over those that agreed or disengaged alone (as the paper''s seem to be); failed is the part of the unresolved that the agent or its endpoint caused.'
;
CREATE VIEW measures.turns_and_length AS
SELECT experiment_id, agent, "by", value, measure, n, missing, clusters, mean, sd, standard_error, low, high, label
FROM measures.agent_measure
WHERE measure IN ('exchanges', 'words_per_agent_message') AND "by" IN ('all', 'macro', 'industry', 'severity', 'style')
ORDER BY experiment_id, agent, measure, "by", value
;
COMMENT ON VIEW measures.turns_and_length IS 'One row per agent, cut and measure: exchanges of a dialogue and words of an agent''s message (SB Table 12).'
;
CREATE VIEW measures.cost_by_agent AS
WITH judged AS (
    SELECT c.experiment_id, c.agent, sum(s.cost_usd) AS judge_cost_usd,
           count(*) FILTER (WHERE s.cost_usd IS NULL AND s.judge_made_by <> 'offline') AS judge_unknown
    FROM judging.score AS s JOIN simulation.conversation AS c USING (conversation_id)
    GROUP BY ALL
),
played AS (
    SELECT experiment_id, agent, any_value(agent_made_by) AS agent_made_by, count(*) AS conversations,
           count(*) FILTER (WHERE cost_usd IS NULL) AS unknown,
           CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd
    FROM simulation.conversation
    GROUP BY ALL
)
SELECT p.experiment_id, p.agent, p.agent_made_by, p.conversations, p.unknown, p.cost_usd,
       m.mean AS cost_per_conversation_usd, m.n, m.clusters, m.sd, m.standard_error, m.low, m.high,
       CASE WHEN coalesce(j.judge_unknown, 0) = 0 THEN coalesce(j.judge_cost_usd, 0) END AS judge_cost_usd
FROM played AS p
LEFT JOIN judged AS j USING (experiment_id, agent)
LEFT JOIN measures.agent_measure AS m
       ON m.experiment_id = p.experiment_id AND m.agent = p.agent AND m.measure = 'cost_usd' AND m."by" = 'all'
ORDER BY p.experiment_id, p.agent
;
COMMENT ON VIEW measures.cost_by_agent IS 'One row per experiment and agent: what its conversations and their judges cost, USD; a sum in which one price is unknown is missing.'
;
COMMENT ON COLUMN measures.cost_by_agent.unknown IS 'Conversations whose price is unknown.'
;
COMMENT ON COLUMN measures.cost_by_agent.cost_per_conversation_usd IS 'Mean over the `n` conversations whose price is known, with its standard deviation and 95% interval.'
;
CREATE VIEW measures.simulator_faults AS
SELECT c.experiment_id, c.customer, f.made_by, f.kind, count(*) AS faults, count(*) FILTER (WHERE f.is_mended) AS mended,
       count(DISTINCT f.conversation_id) AS conversations,
       count(DISTINCT f.conversation_id) FILTER (WHERE c."end" = 'invalid') AS invalid_conversations,
       count(DISTINCT f.conversation_id) / any_value(n.played) AS share_of_conversations
FROM simulation.simulator_fault AS f
JOIN simulation.conversation AS c USING (conversation_id)
JOIN (SELECT experiment_id, customer, count(*) AS played FROM simulation.conversation GROUP BY ALL) AS n
     USING (experiment_id, customer)
GROUP BY c.experiment_id, c.customer, f.made_by, f.kind
ORDER BY c.experiment_id, c.customer, f.made_by, f.kind
;
COMMENT ON VIEW measures.simulator_faults IS 'One row per experiment, customer simulator and kind of fault: how often it happened and how often a retry mended it.'
;
COMMENT ON COLUMN measures.simulator_faults.invalid_conversations IS 'Conversations with such a fault that ended invalid.'
;
CREATE VIEW measures.invalid_share AS
WITH counted AS (
    SELECT experiment_id, agent, count(*) AS conversations,
           count(*) FILTER (WHERE outcome = 'invalid') AS invalid,
           count(*) FILTER (WHERE outcome = 'unplayed') AS unplayed,
           count(*) FILTER (WHERE outcome = 'agreed') AS agreed,
           count(total) AS scored, sum(total) AS total
    FROM measures.conversation_fact
    GROUP BY ALL
)
SELECT c.experiment_id, c.agent, c.conversations, c.invalid, c.unplayed, m.mean AS invalid_share, m.n, m.clusters, m.sd,
       m.low, m.high,
       c.agreed / nullif(c.conversations - c.invalid - c.unplayed, 0) AS agreement_rate,
       c.agreed / nullif(c.conversations - c.unplayed, 0) AS agreement_rate_worst,
       (c.agreed + c.invalid) / nullif(c.conversations - c.unplayed, 0) AS agreement_rate_best,
       t.mean AS total, t.n AS total_n, t.sd AS total_sd, t.low AS total_low, t.high AS total_high,
       CASE WHEN c.scored > 0 THEN (c.total + c.invalid) / (c.scored + c.invalid) END AS total_worst,
       CASE WHEN c.scored > 0 THEN (c.total + 5 * c.invalid) / (c.scored + c.invalid) END AS total_best, t.label
FROM counted AS c
LEFT JOIN measures.agent_measure AS m
       ON m.experiment_id = c.experiment_id AND m.agent = c.agent AND m.measure = 'invalid_rate' AND m."by" = 'all'
LEFT JOIN measures.agent_measure AS t
       ON t.experiment_id = c.experiment_id AND t.agent = c.agent AND t.measure = 'total' AND t."by" = 'all'
ORDER BY c.experiment_id, c.agent
;
COMMENT ON VIEW measures.invalid_share IS 'One row per experiment and agent: how many conversations the simulator spoiled, and between what they could have moved agreement and total justice. Compare agents only where these shares are alike.'
;
COMMENT ON COLUMN measures.invalid_share.invalid_share IS 'Share of the conversations that were played, with its 95% interval.'
;
COMMENT ON COLUMN measures.invalid_share.agreement_rate_worst IS 'Agreement rate had none of the invalid ones agreed.'
;
COMMENT ON COLUMN measures.invalid_share.agreement_rate_best IS 'Agreement rate had all of the invalid ones agreed.'
;
COMMENT ON COLUMN measures.invalid_share.total IS 'Mean total justice over the scored conversations (`total_n`), each counting once, with its spread and interval.'
;
COMMENT ON COLUMN measures.invalid_share.total_worst IS 'The same had every invalid one got 1.'
;
COMMENT ON COLUMN measures.invalid_share.total_best IS 'The same had every invalid one got 5.'
;
