-- From `finding(p, i, literal, tail, kind, value)` to `token` and `masked`: a typed token for each masked value of a
-- dialogue. A finding is a value with the text before it; `tail` is the text behind the last one of a post.

-- A signature stands behind the text of its post.
CREATE OR REPLACE TEMP TABLE token AS
WITH occurrence AS (
    SELECT exchange, position, i, kind, value FROM finding JOIN said ON said.rowid = p
    UNION ALL
    SELECT exchange, position, 1000000, 'person', signature FROM said WHERE signature IS NOT NULL
),
first_seen AS (
    SELECT exchange, kind, value, min(position * 2000000 + i) AS first FROM occurrence GROUP BY ALL
),
told_apart AS (
    SELECT first_seen.*, kind IN ('user', 'person') AND value = customer_key AS is_customer
    FROM first_seen JOIN named_exchange USING (exchange)
)
SELECT exchange, kind, value,
       CASE
           WHEN is_customer THEN '[customer]'
           ELSE '[' || kind || '-' || row_number() OVER (PARTITION BY exchange, kind, is_customer ORDER BY first) || ']'
       END AS token
FROM told_apart;

CREATE OR REPLACE TEMP TABLE masked AS
WITH filled AS (
    SELECT p, i, literal || token || coalesce(tail, '') AS text, i > 0 OR tail IS NULL AS is_one_of_many
    FROM finding JOIN said ON said.rowid = p JOIN token USING (exchange, kind, value)
)
SELECT p, text FROM filled WHERE NOT is_one_of_many
UNION ALL
SELECT p, string_agg(text, '' ORDER BY i) FROM filled WHERE is_one_of_many GROUP BY p;

DROP TABLE finding;
