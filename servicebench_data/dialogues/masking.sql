-- From `finding(n, i, literal, kind, value)` to `token` and `masked`: a typed token for each masked value of a dialogue.

-- A signature stands behind the text of its post.
CREATE OR REPLACE TEMP TABLE token AS
WITH occurrence AS (
    SELECT exchange, position, i, kind, value
    FROM finding JOIN placed_post USING (n) WHERE kind IS NOT NULL
    UNION ALL
    SELECT exchange, position, 1000000, 'person', signature
    FROM cleaned JOIN placed_post USING (n)
    WHERE signature IS NOT NULL
),
first_seen AS (
    SELECT exchange, kind, value, min(position * 2000000 + i) AS first FROM occurrence GROUP BY ALL
)
SELECT exchange, kind, value,
       CASE
           WHEN kind IN ('user', 'person') AND value = customer_key THEN '[customer]'
           ELSE '[' || kind || '-' || row_number() OVER (
               PARTITION BY exchange, kind, kind IN ('user', 'person') AND value = customer_key ORDER BY first
           ) || ']'
       END AS token
FROM first_seen JOIN named_exchange USING (exchange);

CREATE OR REPLACE TEMP TABLE masked AS
SELECT exchange, n, string_agg(literal || coalesce(token, ''), '' ORDER BY i) AS text
FROM finding
JOIN placed_post USING (n)
LEFT JOIN token USING (exchange, kind, value)
GROUP BY exchange, n;
