-- Long form: industry, category_id, measure, value, detail; `all` stands for all categories, or all industries.
-- Views: scenario, background, fact.
WITH cell AS (
    SELECT scenario_id, lower(trim(regexp_replace(opening, '@\w+|https?://\S+|\[[a-z]+(-\d+)?\]', ' ', 'g'))) AS opening,
           unnest([{'i': industry, 'c': category_id}, {'i': industry, 'c': 'all'}, {'i': 'all', 'c': 'all'}]) AS place
    FROM scenario
),
spoken AS (
    SELECT place, scenario_id, regexp_extract_all(opening, '[\p{L}\p{N}]+(?:[''’][\p{L}]+)*') AS words FROM cell
),
sized AS (SELECT place, count(*) AS scenarios FROM cell GROUP BY place),
began AS (
    SELECT place, words[1] AS word, list_aggregate(words[:3], 'string_agg', ' ') AS phrase FROM spoken WHERE len(words) > 0
),
phrases AS (SELECT place, phrase, count(*) AS times FROM began GROUP BY place, phrase),
grams AS (
    SELECT place, size, hash(list_slice(words, start, start + size - 1)) AS gram
    FROM spoken, unnest([1, 2, 3]) AS sizes(size), unnest(range(1, len(words) - size + 2)) AS places(start)
),
valued AS (
    SELECT place, kind, lower(value) AS value, count(*) AS times
    FROM cell JOIN fact USING (scenario_id)
    WHERE kind IN ('place', 'amount', 'person_role', 'product') AND value IS NOT NULL
    GROUP BY place, kind, lower(value)
),
sentence AS (
    SELECT place, scenario_id, b.topic, b.text, b.is_inferred,
           count(DISTINCT scenario_id) OVER (PARTITION BY place, b.text) AS told_by
    FROM cell JOIN background AS b USING (scenario_id)
),
feelings AS (SELECT place, text, count(*) AS times FROM sentence WHERE topic = 'emotional_impact' GROUP BY place, text),
family(name, pattern) AS (
    VALUES ('anger', 'angry|anger|furious|livid|outrag|hate|pissed|insult|disrespect|annoy|fed up|sick of|patience'),
           ('disappointment', 'disappoint|let down|expected (?:better|more)|unhappy|not (?:happy|pleased|impressed)|rather poor|spoils'),
           ('worry', 'worr|anxi|scared|afraid|terrif|stress|shaken|safe|panic'),
           ('sorrow', 'sad\b|upset|cry|cried|tears|heartbroken|devastat|asham|humiliat|embarrass|ruin'),
           ('exhaustion', 'exhaust|worn out|tired|end of my tether|desperate|helpless')
),
tint AS (
    SELECT text, name FROM (SELECT DISTINCT text FROM background WHERE topic = 'emotional_impact')
    JOIN family ON regexp_matches(lower(text), pattern)
),
coloured AS (
    SELECT place, name, count(DISTINCT scenario_id) AS scenarios
    FROM sentence JOIN tint USING (text) WHERE topic = 'emotional_impact' GROUP BY place, name
),
measured AS (
    SELECT place, 'first_words' AS measure, count(DISTINCT word) / count(*) AS value, mode(word ORDER BY word) AS detail
    FROM began GROUP BY place
    UNION ALL
    SELECT place, 'top_opening', max(times) / sum(times), arg_max(phrase, (times, phrase)) FROM phrases GROUP BY place
    UNION ALL
    SELECT place, 'distinct_' || size, count(DISTINCT gram) / count(*), NULL FROM grams GROUP BY place, size
    UNION ALL
    SELECT place, 'distinct_' || kind, count(*) / sum(times), arg_max(value, (times, value)) FROM valued GROUP BY place, kind
    UNION ALL
    SELECT place, 'inferred_sentences', avg(is_inferred::INTEGER), NULL FROM sentence GROUP BY place
    UNION ALL
    SELECT place, 'repeated_sentences', avg((told_by > 1)::INTEGER), arg_max(text, (told_by, text)) FROM sentence GROUP BY place
    UNION ALL
    SELECT place, 'top_feeling', max(times) / any_value(scenarios), arg_max(text, (times, text))
    FROM feelings JOIN sized USING (place) GROUP BY place
    UNION ALL
    SELECT place, 'told_feelings',
           count(DISTINCT scenario_id) FILTER (topic = 'emotional_impact' AND NOT is_inferred) / any_value(scenarios), NULL
    FROM sentence JOIN sized USING (place) GROUP BY place
    UNION ALL
    SELECT sized.place, 'feeling_' || family.name, coalesce(c.scenarios, 0) / sized.scenarios, NULL
    FROM sized CROSS JOIN family LEFT JOIN coloured AS c ON c.place = sized.place AND c.name = family.name
)
SELECT place.i AS industry, place.c AS category_id, measure, scenarios AS scenario_count, value::DOUBLE AS value, detail
FROM measured JOIN sized USING (place)
ORDER BY industry, category_id, measure
