-- From `said`, `masked` and `token` to the tables `turn_row` and `dialogue_row`.

CREATE OR REPLACE TEMP TABLE told AS
SELECT exchange, count(*) AS post_count, max(turn) + 1 AS turn_count,
       bool_or(is_customer AND turn = 0) AS is_opened_by_customer,
       arg_min(created_at, position) FILTER (created_at IS NOT NULL) AS started_at
FROM said GROUP BY exchange;

-- Most turns are one post; only the others need their posts put together.
CREATE OR REPLACE TEMP TABLE long_row AS
WITH piece AS (
    SELECT said.rowid AS p, starts, exchange, turn, position, post_id, created_at, signature,
           CASE
               WHEN is_part THEN squeeze_blanks(strip_part(coalesce(masked.text, said.text)))
               ELSE coalesce(masked.text, said.text)
           END AS text
    FROM said SEMI JOIN long_turn USING (exchange, turn) LEFT JOIN masked ON masked.p = said.rowid
),
measured AS (
    SELECT *,
           coalesce(sum(length(text) + CAST(text <> '' AS INTEGER)) OVER (
               PARTITION BY exchange, turn ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ), 0) AS start
    FROM piece
),
joined AS (
    SELECT any_value(p) FILTER (starts) AS p, list(post_id ORDER BY position) AS post_ids, list(start ORDER BY position) AS starts,
           arg_min_null(created_at, position) AS created_at,
           coalesce(string_agg(text, E'\n' ORDER BY position) FILTER (text <> ''), '') AS text,
           arg_min(signature, position) AS signature
    FROM measured GROUP BY exchange, turn
)
SELECT p, post_ids, list_transform(starts, lambda start: CAST(least(start, length(text)) AS BIGINT)) AS post_offsets,
       created_at, text, signature
FROM joined;

-- A turn stands at its first post.
CREATE OR REPLACE TEMP TABLE turn_row AS
WITH first_post AS (
    SELECT exchange, turn, is_customer, long_row.p IS NOT NULL AS is_long, said.signature AS own_signature,
           coalesce(long_row.post_ids, [post_id]) AS post_ids,
           coalesce(long_row.post_offsets, [CAST(0 AS BIGINT)]) AS post_offsets,
           CASE WHEN is_long THEN long_row.created_at ELSE said.created_at END AS created_at,
           coalesce(long_row.text, masked.text, said.text) AS text,
           CASE WHEN is_long THEN long_row.signature ELSE own_signature END AS signer
    FROM said
    LEFT JOIN long_row ON long_row.p = said.rowid
    LEFT JOIN masked ON masked.p = said.rowid
    WHERE starts
)
SELECT first_post.exchange, turn, is_customer, post_ids, post_offsets, created_at, text, token.token AS signature
FROM first_post
LEFT JOIN token ON token.exchange = first_post.exchange AND token.kind = 'person' AND token.value = signer;

DROP TABLE said;
DROP TABLE masked;
DROP TABLE long_row;

-- Read once, when the file is written.
CREATE OR REPLACE TEMP VIEW dialogue_row AS
WITH opening AS (
    -- Turns alternate, so the customer's first one is the first or the second.
    SELECT exchange, text AS opening FROM turn_row JOIN told USING (exchange)
    WHERE is_customer AND turn = CASE WHEN is_opened_by_customer THEN 0 ELSE 1 END
),
long_side AS (
    SELECT exchange, list_sort(list({'turn': turn, 'text': text})) AS sides
    FROM turn_row SEMI JOIN (SELECT exchange FROM told WHERE turn_count > 2) USING (exchange)
    WHERE is_customer AND text <> '' GROUP BY exchange
),
hidden AS (
    SELECT exchange, count(*) FILTER (token <> '[customer]') + CAST(bool_or(token = '[customer]') AS BIGINT) AS mask_count
    FROM token GROUP BY exchange
)
SELECT exchange, industry, dialogue_id, account, is_sample, sha256(customer_key) AS customer_id, root_post_id,
       CASE WHEN is_opened_by_customer THEN 'customer' ELSE 'account' END AS opened_by, is_truncated, account_count,
       post_count, CAST(turn_count AS BIGINT) AS turn_count, started_at, opening,
       coalesce(array_to_string(list_transform(sides, lambda side: side.text), E'\n'), opening) AS customer_text,
       coalesce(mask_count, 0) AS mask_count
FROM named_exchange
JOIN told USING (exchange)
JOIN opening USING (exchange)
LEFT JOIN long_side USING (exchange)
LEFT JOIN hidden USING (exchange);
