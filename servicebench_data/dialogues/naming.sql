-- Dialogues get their ids, and numbers in the order of the published tables: a number sorts as industry and id do.
-- Inputs: `exchange`, `member`, `kept_post`, `post`, `care_account`.

CREATE OR REPLACE TEMP TABLE named_exchange AS
WITH company AS (
    SELECT root, count(DISTINCT author) AS account_count FROM kept_post
    WHERE NOT is_customer AND n < (SELECT count(*) FROM post) GROUP BY root
),
first_post AS (
    -- A missing parent is no post: the tree's first post is the first of what is left of it.
    SELECT root, arg_min(n, place) AS n FROM kept_post
    WHERE root >= (SELECT count(*) FROM post) AND n < (SELECT count(*) FROM post) GROUP BY root
),
customer_name AS (
    SELECT n AS customer_n, lower(author_id) AS customer_key
    FROM post SEMI JOIN exchange ON exchange.customer_n = post.n
),
named AS (
    SELECT exchange AS pair, industry, account, is_sample, account_count, customer_key, post_id AS root_post_id,
           root >= (SELECT count(*) FROM post) AS is_truncated,
           left(sha256(concat_ws(E'\x1f', post_id, customer_key, handle_key)), 32) AS dialogue_id
    FROM exchange
    JOIN care_account USING (account_index)
    JOIN customer_name USING (customer_n)
    JOIN company USING (root)
    LEFT JOIN first_post USING (root)
    JOIN post ON post.n = coalesce(first_post.n, root)
)
SELECT row_number() OVER (ORDER BY industry, dialogue_id) AS exchange, * FROM named;

DROP TABLE exchange;
DROP TABLE kept_post;
