-- Rows of `scenario` for the drawn candidates, but for their content hash.
-- Views: drawn(scenario_id, inclusion_probability, split, cluster_id), candidate, dialogue, turn, event, severity,
-- background, expectation, case_field, category.
WITH told AS (
    SELECT scenario_id, string_agg((event_index + 1) || '. ' || text, chr(10) ORDER BY event_index) AS events
    FROM event GROUP BY scenario_id
),
lived AS (
    SELECT scenario_id, string_agg(text, ' ' ORDER BY sentence_index) AS background FROM background GROUP BY scenario_id
),
hoped AS (
    SELECT scenario_id,
           concat_ws(' ', explanation, action, apology,
               CASE WHEN compensation_max_usd = 0 THEN 'No money is needed.'
                    WHEN compensation_min_usd = 0 THEN
                        format('Goodwill of up to USD {:.0f} would be welcome and is not needed.', compensation_max_usd)
                    ELSE format('Goodwill of USD {:.0f} to {:.0f} would be fair.', compensation_min_usd, compensation_max_usd)
               END,
               'An insult: ' || insult) AS expectation
    FROM expectation
),
filed AS (
    SELECT scenario_id,
           string_agg(title || ': ' || coalesce(shown, '(nothing on file)'), chr(10) ORDER BY field_id) AS case_record
    FROM case_field GROUP BY scenario_id
),
posted AS (
    SELECT dialogue_id, list_distinct(flatten(list(post_ids ORDER BY turn_index))) AS post_ids FROM turn GROUP BY dialogue_id
)
SELECT c.industry, c.scenario_id, c.made_by, c.dialogue_id, d.account, d.is_sample, c.stage_id, c.category_id,
       s.level AS severity, d.opening, told.events, lived.background, hoped.expectation,
       coalesce(filed.case_record, 'Nothing on file.') AS case_record, $goodwill_limit_usd AS goodwill_limit_usd,
       drawn.split, drawn.cluster_id, drawn.inclusion_probability, category.map_version,
       c.rules_version, $seed AS seed, c.cost_usd, list_sort(posted.post_ids) AS post_ids,
       c.edited_parts, c.accepted_failures
FROM drawn
JOIN candidate AS c USING (scenario_id)
JOIN dialogue AS d USING (dialogue_id)
JOIN posted USING (dialogue_id)
JOIN category ON category.industry = c.industry AND category.category_id = c.category_id
JOIN severity AS s ON s.scenario_id = drawn.scenario_id
JOIN told ON told.scenario_id = drawn.scenario_id
JOIN lived ON lived.scenario_id = drawn.scenario_id
JOIN hoped ON hoped.scenario_id = drawn.scenario_id
LEFT JOIN filed ON filed.scenario_id = drawn.scenario_id
