-- Valid candidates with what the draw needs: who wrote, and what the finished text tells beside the inferred sentences.
-- The events are left out: they tell the opening again, in the third person.
-- Views: candidate, dialogue(dialogue_id, customer_id, customer_text, opening), background, fact.
WITH lived AS (
    SELECT scenario_id, string_agg(text, ' ' ORDER BY sentence_index) AS told
    FROM background WHERE NOT is_inferred GROUP BY scenario_id
),
known AS (
    SELECT scenario_id, list_sort(list(DISTINCT value)) AS found FROM fact WHERE value IS NOT NULL GROUP BY scenario_id
)
SELECT c.scenario_id, c.industry, c.category_id, c.fact_count, d.customer_id, coalesce(d.customer_text, ''),
       concat_ws(' ', d.opening, lived.told), coalesce(known.found, [])
FROM candidate AS c
LEFT JOIN dialogue AS d USING (dialogue_id)
LEFT JOIN lived USING (scenario_id)
LEFT JOIN known USING (scenario_id)
WHERE c.is_valid
ORDER BY c.scenario_id
