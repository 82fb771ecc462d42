-- From `placed_post`, `cleaned`, `masked` and `token` to the tables `turn_row` and `dialogue_row`.

CREATE OR REPLACE TEMP TABLE piece AS
SELECT placed_post.exchange, turn, position, placed_post.is_customer, post_id, created_at,
       CASE
           WHEN is_part THEN squeeze_blanks(strip_part(coalesce(masked.text, cleaned.text)))
           ELSE coalesce(masked.text, cleaned.text)
       END AS text,
       token.token AS signature
FROM placed_post
JOIN cleaned ON cleaned.n = placed_post.n
JOIN light ON light.n = placed_post.n
LEFT JOIN masked ON masked.exchange = placed_post.exchange AND masked.n = placed_post.n
LEFT JOIN token ON token.exchange = placed_post.exchange AND token.kind = 'person' AND token.value = cleaned.signature;

DROP TABLE cleaned;
DROP TABLE masked;
DROP TABLE finding;
DROP TABLE light;

-- Most turns are one post; only the others need their posts put in order.
CREATE OR REPLACE TEMP TABLE turn_row AS
WITH measured AS (
    SELECT *,
           coalesce(sum(length(text) + CAST(text <> '' AS INTEGER)) OVER (
               PARTITION BY exchange, turn ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ), 0) AS start
    FROM piece SEMI JOIN long_turn USING (exchange, turn)
),
joined AS (
    SELECT exchange, turn, any_value(is_customer) AS is_customer,
           list(post_id ORDER BY position) AS post_ids,
           list(start ORDER BY position) AS starts,
           arg_min_null(created_at, position) AS created_at,
           coalesce(string_agg(text, E'\n' ORDER BY position) FILTER (text <> ''), '') AS text,
           arg_min(signature, position) AS signature
    FROM measured GROUP BY exchange, turn
)
SELECT exchange, turn, is_customer, post_ids,
       list_transform(starts, lambda start: CAST(least(start, length(text)) AS BIGINT)) AS post_offsets,
       created_at, text, signature
FROM joined
UNION ALL
SELECT exchange, turn, is_customer, [post_id], [CAST(0 AS BIGINT)], created_at, text, signature
FROM piece ANTI JOIN long_turn USING (exchange, turn);

CREATE OR REPLACE TEMP TABLE told AS
SELECT exchange, count(*) AS post_count, max(turn) + 1 AS turn_count,
       bool_or(is_customer AND turn = 0) AS is_opened_by_customer,
       arg_min(created_at, position) FILTER (created_at IS NOT NULL) AS started_at
FROM piece GROUP BY exchange;

DROP TABLE piece;

-- Read once, when the file is written.
CREATE OR REPLACE TEMP VIEW dialogue_row AS
WITH opening AS (
    -- Turns alternate, so the customer's first one is the first or the second.
    SELECT exchange, text AS opening FROM turn_row JOIN told USING (exchange)
    WHERE is_customer AND turn = CASE WHEN is_opened_by_customer THEN 0 ELSE 1 END
),
long_side AS (
    SELECT exchange, coalesce(string_agg(text, E'\n' ORDER BY turn) FILTER (text <> ''), '') AS customer_text
    FROM turn_row SEMI JOIN (SELECT exchange FROM told WHERE turn_count > 2) USING (exchange)
    WHERE is_customer GROUP BY exchange
),
hidden AS (
    SELECT exchange, count(*) FILTER (token <> '[customer]') + CAST(bool_or(token = '[customer]') AS BIGINT) AS mask_count
    FROM token GROUP BY exchange
)
SELECT exchange, industry, dialogue_id, account, is_sample, sha256(customer_key) AS customer_id, root_post_id,
       CASE WHEN is_opened_by_customer THEN 'customer' ELSE 'account' END AS opened_by, is_truncated, account_count,
       post_count, CAST(turn_count AS BIGINT) AS turn_count, started_at, opening,
       coalesce(customer_text, opening) AS customer_text, coalesce(mask_count, 0) AS mask_count
FROM named_exchange
JOIN told USING (exchange)
JOIN opening USING (exchange)
LEFT JOIN long_side USING (exchange)
LEFT JOIN hidden USING (exchange);
