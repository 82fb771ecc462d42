-- What is known of each conversation, offer, fact, agent turn and score, for statistics and analysts alike.
-- Each statement ends with a line of its own that holds only `;`. The same statements stand in the published file and,
-- where statistics are computed, over the lake's files.
CREATE VIEW measures.offer_fact AS
WITH worth AS (
    SELECT *, CASE WHEN kind <> 'entitlement' THEN coalesce(amount_usd, 0) ELSE 0 END AS goodwill,
           CASE WHEN kind = 'entitlement' THEN coalesce(amount_usd, 0) ELSE 0 END AS entitlement
    FROM simulation.offer
),
change AS (
    SELECT o.*, o.goodwill - coalesce(r.goodwill, 0) AS goodwill_change,
           o.entitlement - coalesce(r.entitlement, 0) AS entitlement_change
    FROM worth AS o
    LEFT JOIN worth AS r ON r.conversation_id = o.conversation_id
                        AND r.message_index || ':' || r.offer_index = o.raises_offer
)
SELECT conversation_id, message_index, offer_index, message_index // 2 + 1 AS turn, kind,
       kind <> 'entitlement' AS is_goodwill, relation, amount_usd, is_over_limit,
       sum(goodwill_change) OVER so_far AS goodwill_standing_usd,
       sum(entitlement_change) OVER so_far AS entitlement_standing_usd
FROM change
WINDOW so_far AS (PARTITION BY conversation_id ORDER BY message_index, offer_index)
;
COMMENT ON VIEW measures.offer_fact IS 'One row per offer with what stands on the table after it: a raise takes the place of the offer that it names, an addition adds, of alternatives the greatest stands, what has no figure counts nothing, and nothing is clipped to the limit.'
;
COMMENT ON COLUMN measures.offer_fact.turn IS 'Agent turn that makes the offer, from 1.'
;
COMMENT ON COLUMN measures.offer_fact.is_goodwill IS 'Whether it is goodwill, in money or in kind; else it is owed by policy.'
;
COMMENT ON COLUMN measures.offer_fact.goodwill_standing_usd IS 'Goodwill that stands after this offer, USD.'
;
COMMENT ON COLUMN measures.offer_fact.entitlement_standing_usd IS 'Entitlements that stand after this offer, USD.'
;
CREATE VIEW measures.disclosure_fact AS
SELECT c.conversation_id, f.fact_id, f.is_inferred, d.disclosed_by, d.message_index,
       d.disclosed_by IS NOT DISTINCT FROM 'opening' AS is_in_opening
FROM simulation.conversation AS c
JOIN scenarios.fact AS f ON f.scenario_id = c.scenario_id AND f.is_customer_only
LEFT JOIN simulation.fact_disclosure AS d ON d.conversation_id = c.conversation_id AND d.fact_id = f.fact_id
;
COMMENT ON VIEW measures.disclosure_fact IS 'One row per conversation and fact that only the customer knows, told or not.'
;
COMMENT ON COLUMN measures.disclosure_fact.disclosed_by IS 'How it came out; missing where it never did.'
;
COMMENT ON COLUMN measures.disclosure_fact.message_index IS 'Message of the customer that told it first; missing where none did.'
;
COMMENT ON COLUMN measures.disclosure_fact.is_in_opening IS 'Whether the opening told it; such facts are no merit of the agent.'
;
CREATE VIEW measures.conversation_fact AS
WITH written AS (
    SELECT conversation_id, count(*) AS agent_messages, sum(len(regexp_extract_all(text, '\S+'))) AS words
    FROM simulation.message
    WHERE role = 'agent' AND trim(text) <> ''
    GROUP BY conversation_id
),
offered AS (
    SELECT conversation_id,
           min(message_index) FILTER (WHERE is_goodwill) AS commitment,
           max(goodwill_standing_usd) AS goodwill_offered_max_usd,
           arg_max(goodwill_standing_usd, message_index * 1000 + offer_index) AS goodwill_standing_usd,
           arg_max(entitlement_standing_usd, message_index * 1000 + offer_index) AS entitlement_standing_usd,
           count(*) FILTER (WHERE amount_usd IS NULL) AS unpriced_offers,
           count(DISTINCT message_index) FILTER (WHERE is_over_limit) AS violations
    FROM measures.offer_fact
    GROUP BY conversation_id
),
told AS (
    SELECT d.conversation_id,
           count(*) AS known,
           count(*) FILTER (WHERE is_in_opening) AS opening,
           count(*) FILTER (WHERE NOT is_in_opening) AS hidden,
           count(*) FILTER (WHERE NOT is_in_opening AND NOT is_inferred) AS grounded,
           count(*) FILTER (WHERE is_out AND disclosed_by = 'elicited') AS elicited,
           count(*) FILTER (WHERE is_out AND disclosed_by <> 'elicited') AS volunteered,
           count(*) FILTER (WHERE is_out AND NOT is_inferred) AS grounded_out,
           count(*) FILTER (WHERE NOT is_in_opening AND message_index IS NOT NULL) AS out_at_end
    FROM (
        SELECT f.*, NOT is_in_opening AND message_index IS NOT NULL
                    AND (commitment IS NULL OR message_index < commitment) AS is_out
        FROM measures.disclosure_fact AS f
        LEFT JOIN offered USING (conversation_id)
    ) AS d
    GROUP BY d.conversation_id
),
grading AS (
    SELECT DISTINCT ON (experiment_id) experiment_id, grading_version
    FROM (
        SELECT DISTINCT c.experiment_id, j.grading_version
        FROM judging.judgment AS j JOIN simulation.conversation AS c USING (conversation_id)
    )
    LEFT JOIN (SELECT DISTINCT grading_version, TRUE AS is_in_force FROM judging.rubric_item) USING (grading_version)
    ORDER BY experiment_id, coalesce(is_in_force, FALSE) DESC, grading_version DESC
),
bench AS (
    SELECT c.experiment_id, s.grading_version,
           CASE WHEN bool_and(s.judge_made_by = 'offline') THEN 'offline' ELSE 'model' END AS scored_by
    FROM judging.score AS s JOIN simulation.conversation AS c USING (conversation_id)
    GROUP BY ALL
),
played AS (
    SELECT DISTINCT experiment_id, scenario_id FROM simulation.conversation
),
asked AS (
    SELECT experiment_id,
           CAST(chosen -> '$.industries' AS VARCHAR[]) AS industries,
           CAST(chosen -> '$.categories' AS VARCHAR[]) AS categories,
           CAST(chosen -> '$.severities' AS VARCHAR[]) AS severities,
           CAST(chosen -> '$.scenario_ids' AS VARCHAR[]) AS scenario_ids,
           chosen ->> '$.split' AS split
    FROM (SELECT experiment_id, TRY_CAST(definition AS JSON) -> '$.scenarios' AS chosen FROM simulation.experiment)
),
drawn AS (
    SELECT a.experiment_id, s.industry, s.category_id, count(p.scenario_id) / count(*) AS share
    FROM asked AS a
    CROSS JOIN scenarios.scenario AS s
    LEFT JOIN played AS p ON p.experiment_id = a.experiment_id AND p.scenario_id = s.scenario_id
    WHERE p.scenario_id IS NOT NULL
       OR (    (len(a.industries) = 0 OR list_contains(a.industries, s.industry))
           AND (len(a.categories) = 0 OR list_contains(a.categories, s.category_id))
           AND (len(a.severities) = 0 OR list_contains(a.severities, s.severity))
           AND (len(a.scenario_ids) = 0 OR list_contains(a.scenario_ids, s.scenario_id))
           AND (a.split IS NULL OR a.split = s.split))
    GROUP BY ALL
),
told_end AS (
    SELECT *, CASE WHEN "end" = 'agreement' THEN 'agreed'
                   WHEN "end" = 'disengagement' THEN 'disengaged'
                   WHEN "end" = 'invalid' THEN 'invalid'
                   WHEN end_detail IN ('over_budget', 'simulator_unanswered') THEN 'unplayed'
                   ELSE 'unresolved' END AS outcome
    FROM simulation.conversation
)
SELECT c.experiment_id, c.conversation_id, c.scenario_id, coalesce(s.cluster_id, c.scenario_id) AS cluster_id,
       c.industry, s.stage_id, s.category_id, s.severity,
       c.agent, c.agent_made_by, c.customer, c.customer_made_by, c.style, c.disclosure, c.guidance, c.reasoning,
       c."repeat", c.seed, c.is_valid, c.is_self_play,
       c.outcome, c.end_detail, c.exchanges,
       coalesce(w.agent_messages, 0) AS agent_messages,
       w.words / w.agent_messages AS words_per_agent_message,
       ln(w.words / w.agent_messages) AS log_mean_words,
       g.grading_version, b.scored_by,
       CASE WHEN c.outcome NOT IN ('invalid', 'unplayed') THEN j.interactional END AS interactional,
       CASE WHEN c.outcome NOT IN ('invalid', 'unplayed') THEN j.procedural END AS procedural,
       CASE WHEN c.outcome NOT IN ('invalid', 'unplayed') THEN j.distributive END AS distributive,
       CASE WHEN c.outcome NOT IN ('invalid', 'unplayed') THEN j.total END AS total,
       CASE WHEN o.commitment IS NULL THEN 'never' WHEN o.commitment = 1 THEN 'T1' WHEN o.commitment = 3 THEN 'T2'
            ELSE 'T3+' END AS first_goodwill,
       o.commitment // 2 + 1 AS first_goodwill_turn,
       coalesce(o.goodwill_offered_max_usd, 0) AS goodwill_offered_max_usd,
       coalesce(o.goodwill_standing_usd, 0) AS goodwill_standing_usd,
       CASE WHEN c.outcome = 'agreed' THEN coalesce(o.goodwill_standing_usd, 0) ELSE 0 END AS goodwill_accepted_usd,
       coalesce(o.goodwill_standing_usd, 0) / nullif(s.goodwill_limit_usd, 0) AS goodwill_normalised,
       coalesce(o.entitlement_standing_usd, 0) AS entitlement_standing_usd,
       coalesce(o.unpriced_offers, 0) AS unpriced_offers,
       coalesce(o.violations, 0) AS violations,
       coalesce(t.hidden, 0) AS coverage_total,
       CASE WHEN c.disclosure = 'progressive' THEN t.elicited / nullif(t.hidden, 0) END AS coverage_elicited,
       CASE WHEN c.disclosure = 'progressive' THEN t.volunteered / nullif(t.hidden, 0) END AS coverage_volunteered,
       CASE WHEN c.disclosure = 'progressive' THEN (t.elicited + t.volunteered) / nullif(t.hidden, 0) END AS coverage_all,
       CASE WHEN c.disclosure = 'progressive' THEN (t.opening + t.elicited + t.volunteered) / nullif(t.known, 0)
            END AS coverage_with_opening,
       CASE WHEN c.disclosure = 'progressive' THEN t.grounded_out / nullif(t.grounded, 0) END AS coverage_grounded,
       CASE WHEN c.disclosure = 'progressive' THEN t.out_at_end / nullif(t.hidden, 0) END AS coverage_final,
       o.commitment IS NOT NULL AS has_commitment,
       c.cost_usd, s.inclusion_probability * d.share AS inclusion_probability
FROM told_end AS c
LEFT JOIN scenarios.scenario AS s USING (scenario_id)
LEFT JOIN drawn AS d ON d.experiment_id = c.experiment_id AND d.industry = s.industry AND d.category_id = s.category_id
LEFT JOIN written AS w USING (conversation_id)
LEFT JOIN offered AS o USING (conversation_id)
LEFT JOIN told AS t USING (conversation_id)
LEFT JOIN grading AS g ON g.experiment_id = c.experiment_id
LEFT JOIN bench AS b ON b.experiment_id = c.experiment_id AND b.grading_version = g.grading_version
LEFT JOIN judging.judgment AS j
       ON j.conversation_id = c.conversation_id AND j.grading_version = g.grading_version
      AND j.ensemble = 'without_own_family'
;
COMMENT ON VIEW measures.conversation_fact IS 'One row per conversation of every experiment, also those without a result, with all that statistics are made of: who talked, how it ended, justice, goodwill, disclosure, length and cost.'
;
COMMENT ON COLUMN measures.conversation_fact.cluster_id IS 'What statistics cluster by: near-duplicates of the source dialogue and dialogues of one author share it, along the chain; so do all styles, repeats and agents on one scenario.'
;
COMMENT ON COLUMN measures.conversation_fact.outcome IS 'agreed, disengaged, unresolved (the cap on turns, or what the agent or its endpoint caused), invalid (the simulator failed: no result), unplayed (a cap on spending or the endpoint of customer or gate stopped it: no result).'
;
COMMENT ON COLUMN measures.conversation_fact.agent_messages IS 'Messages of the agent that say anything.'
;
COMMENT ON COLUMN measures.conversation_fact.words_per_agent_message IS 'Mean number of words, as spaces part them, in those.'
;
COMMENT ON COLUMN measures.conversation_fact.log_mean_words IS 'Natural logarithm of that.'
;
COMMENT ON COLUMN measures.conversation_fact.grading_version IS 'Version of rubric, prompt and rules whose scores stand here: the one in force, else the last.'
;
COMMENT ON COLUMN measures.conversation_fact.scored_by IS '`offline` where the rule engine is the only judge of the experiment, else `model`.'
;
COMMENT ON COLUMN measures.conversation_fact.total IS 'Mean of the three dimensions over the judges that are not of the agent''s family; missing unless all of them scored, and for conversations without a result.'
;
COMMENT ON COLUMN measures.conversation_fact.first_goodwill IS 'Agent turn of the first goodwill offer: T1, T2, T3+ or never; an offer without an amount counts.'
;
COMMENT ON COLUMN measures.conversation_fact.first_goodwill_turn IS 'The same as a number from 1; missing where none was made.'
;
COMMENT ON COLUMN measures.conversation_fact.goodwill_offered_max_usd IS 'Most goodwill that stood on the table at any time, USD.'
;
COMMENT ON COLUMN measures.conversation_fact.goodwill_standing_usd IS 'Goodwill that stands at the end, USD, zeros included: the headline of goodwill.'
;
COMMENT ON COLUMN measures.conversation_fact.goodwill_accepted_usd IS 'The same where the customer agreed, else 0.'
;
COMMENT ON COLUMN measures.conversation_fact.goodwill_normalised IS 'The standing goodwill over the limit of the scenario (USD 200); above 1 where the limit was passed.'
;
COMMENT ON COLUMN measures.conversation_fact.entitlement_standing_usd IS 'What stands at the end that policy owes, USD.'
;
COMMENT ON COLUMN measures.conversation_fact.unpriced_offers IS 'Offers that neither words nor price table give an amount; they count nothing above.'
;
COMMENT ON COLUMN measures.conversation_fact.violations IS 'Messages of the agent that leave goodwill above the limit standing.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_total IS 'Facts that only the customer knows and that the opening does not tell: what all shares of coverage but one are shares of.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_elicited IS 'Share of them that the agent had elicited when it wrote its first goodwill offer, or by the end where it made none. Our definition, as all that follow; missing under full information and without such facts.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_volunteered IS 'Share that had come out by then unasked.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_all IS 'Sum of the two.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_with_opening IS 'Share by then of all facts that only the customer knows, those of the opening included.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_grounded IS 'Like coverage_all, over facts that the source says.'
;
COMMENT ON COLUMN measures.conversation_fact.coverage_final IS 'Like coverage_all, at the end of the conversation.'
;
COMMENT ON COLUMN measures.conversation_fact.has_commitment IS 'Whether the agent made a goodwill offer at all.'
;
COMMENT ON COLUMN measures.conversation_fact.cost_usd IS 'Price of all its calls but those of judges, USD; missing where one is unknown.'
;
COMMENT ON COLUMN measures.conversation_fact.inclusion_probability IS 'Chance that its scenario was drawn from the valid candidates of its category and then, where the experiment plays only part of what it could choose from, for the experiment; its inverse is the weight of the prevalence-weighted means.'
;
CREATE VIEW measures.score_fact AS
SELECT c.experiment_id, s.conversation_id, c.scenario_id, c.cluster_id, c.industry, c.stage_id, c.category_id,
       c.severity, c.agent, c.agent_made_by, c.customer, c.style, c.disclosure, c.guidance, c.reasoning, c."repeat",
       c.outcome, c.first_goodwill, c.exchanges, c.log_mean_words,
       s.judge, s.judge_made_by, s.is_own_family, s.grading_version,
       s.grading_version IS NOT DISTINCT FROM c.grading_version AS is_latest,
       s.dimension, s.score, s.has_injection, s.cost_usd
FROM judging.score AS s
JOIN measures.conversation_fact AS c USING (conversation_id)
WHERE s.status = 'scored' AND c.outcome NOT IN ('invalid', 'unplayed')
;
COMMENT ON VIEW measures.score_fact IS 'One row per conversation, judge, dimension and grading version that has a score: what cross-judge tables are made of.'
;
COMMENT ON COLUMN measures.score_fact.is_latest IS 'Whether it is of the grading version that stands in conversation_fact.'
;
COMMENT ON COLUMN measures.score_fact.cost_usd IS 'Price of the judge''s calls for it, USD; missing where unknown or offline.'
;
CREATE VIEW measures.turn_fact AS
WITH said AS (
    SELECT conversation_id, message_index, message_index // 2 + 1 AS turn, len(regexp_extract_all(text, '\S+')) AS words,
           message_index = max(message_index) OVER (PARTITION BY conversation_id) AS is_last
    FROM simulation.message
    WHERE role = 'agent'
),
told AS (
    SELECT s.conversation_id, s.message_index, count(d.fact_id) AS facts_out
    FROM said AS s
    LEFT JOIN measures.disclosure_fact AS d
           ON d.conversation_id = s.conversation_id AND NOT d.is_in_opening AND d.message_index < s.message_index
    GROUP BY ALL
),
standing AS (
    SELECT conversation_id, message_index, arg_max(goodwill_standing_usd, offer_index) AS goodwill_standing_usd,
           arg_max(entitlement_standing_usd, offer_index) AS entitlement_standing_usd
    FROM measures.offer_fact
    GROUP BY ALL
)
SELECT c.experiment_id, c.conversation_id, c.scenario_id, c.cluster_id, c.industry, c.agent, c.customer, c.style,
       c.disclosure, c."repeat", s.turn, s.message_index, s.words, t.facts_out, c.coverage_total,
       CASE WHEN c.disclosure = 'progressive' THEN t.facts_out / nullif(c.coverage_total, 0) END AS coverage,
       coalesce(o.goodwill_standing_usd, 0) AS goodwill_standing_usd,
       coalesce(o.entitlement_standing_usd, 0) AS entitlement_standing_usd,
       c.first_goodwill_turn IS NOT DISTINCT FROM s.turn AS is_commitment,
       CASE WHEN s.is_last THEN c.outcome END AS outcome
FROM said AS s
JOIN told AS t USING (conversation_id, message_index)
ASOF LEFT JOIN standing AS o ON o.conversation_id = s.conversation_id AND o.message_index <= s.message_index
JOIN measures.conversation_fact AS c ON c.conversation_id = s.conversation_id
;
COMMENT ON VIEW measures.turn_fact IS 'One row per conversation and message of the agent: what was out when it wrote, and what stood on the table after it. A conversation in which the agent never wrote has none.'
;
COMMENT ON COLUMN measures.turn_fact.turn IS 'Agent turn, from 1.'
;
COMMENT ON COLUMN measures.turn_fact.facts_out IS 'Facts beyond the opening that only the customer knew and had told before this message.'
;
COMMENT ON COLUMN measures.turn_fact.coverage IS 'Their share of coverage_total; missing under full information and without such facts.'
;
COMMENT ON COLUMN measures.turn_fact.is_commitment IS 'Whether it holds the first goodwill offer.'
;
COMMENT ON COLUMN measures.turn_fact.outcome IS 'How the conversation ended where this is the agent''s last message; missing before.'
;
CREATE VIEW measures.conversation_measure AS
WITH entry AS (
    SELECT experiment_id, conversation_id, scenario_id, cluster_id, industry, stage_id, category_id, severity, agent,
           agent_made_by, customer, style, disclosure, guidance, reasoning, "repeat", first_goodwill, outcome, is_self_play,
           scored_by, inclusion_probability,
           unnest([
               {'measure': 'interactional', 'value': interactional},
               {'measure': 'procedural', 'value': procedural},
               {'measure': 'distributive', 'value': distributive},
               {'measure': 'total', 'value': total},
               {'measure': 'agreement_rate', 'value': (outcome = 'agreed')::DOUBLE},
               {'measure': 'disengagement_rate', 'value': (outcome = 'disengaged')::DOUBLE},
               {'measure': 'unresolved_rate', 'value': (outcome = 'unresolved')::DOUBLE},
               {'measure': 'agreement_rate_resolved',
                'value': CASE WHEN outcome <> 'unresolved' THEN (outcome = 'agreed')::DOUBLE END},
               {'measure': 'disengagement_rate_resolved',
                'value': CASE WHEN outcome <> 'unresolved' THEN (outcome = 'disengaged')::DOUBLE END},
               {'measure': 'failed_rate',
                'value': (outcome = 'unresolved' AND end_detail <> 'turn_cap')::DOUBLE},
               {'measure': 'goodwill_offered_max_usd', 'value': goodwill_offered_max_usd},
               {'measure': 'goodwill_standing_usd', 'value': goodwill_standing_usd},
               {'measure': 'goodwill_accepted_usd', 'value': goodwill_accepted_usd},
               {'measure': 'goodwill_normalised', 'value': goodwill_normalised},
               {'measure': 'violation_rate', 'value': (violations > 0)::DOUBLE},
               {'measure': 'exchanges', 'value': exchanges::DOUBLE},
               {'measure': 'words_per_agent_message', 'value': words_per_agent_message},
               {'measure': 'coverage_elicited', 'value': coverage_elicited},
               {'measure': 'coverage_volunteered', 'value': coverage_volunteered},
               {'measure': 'coverage_all', 'value': coverage_all},
               {'measure': 'coverage_with_opening', 'value': coverage_with_opening},
               {'measure': 'coverage_grounded', 'value': coverage_grounded},
               {'measure': 'coverage_final', 'value': coverage_final},
               {'measure': 'first_goodwill_t1', 'value': (first_goodwill = 'T1')::DOUBLE},
               {'measure': 'first_goodwill_t2', 'value': (first_goodwill = 'T2')::DOUBLE},
               {'measure': 'first_goodwill_t3plus', 'value': (first_goodwill = 'T3+')::DOUBLE},
               {'measure': 'first_goodwill_never', 'value': (first_goodwill = 'never')::DOUBLE},
               {'measure': 'invalid_rate', 'value': (outcome = 'invalid')::DOUBLE},
               {'measure': 'cost_usd', 'value': cost_usd}
           ], recursive := TRUE)
    FROM measures.conversation_fact
)
SELECT * REPLACE (
           CASE WHEN measure = 'cost_usd' OR outcome NOT IN ('invalid', 'unplayed')
                  OR (measure = 'invalid_rate' AND outcome = 'invalid') THEN value END AS value)
FROM entry
;
COMMENT ON VIEW measures.conversation_measure IS 'One row per conversation and measure: the value that enters means and comparisons, or missing. Conversations without a result (invalid, unplayed) have none but their cost, and an invalid one that it is invalid.'
;
COMMENT ON COLUMN measures.conversation_measure.measure IS 'Name of the measure. A rate is 1 or 0 for a conversation; those `_resolved` are missing for an unresolved one; failed_rate is the part of the unresolved that the agent or its endpoint caused.'
;
COMMENT ON COLUMN measures.conversation_measure.value IS 'The value; missing where the conversation has none, which is counted and never replaced.'
;
