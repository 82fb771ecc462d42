-- From trees to dialogues. Inputs: `post` (the Post table with its row number n), `light` (its ids), `care_account`,
-- `kept_post` (posts of trees that hold a care account, with root, place in reading order, and addressed row).

-- An account's post speaks to the nearest customer above it. Where there is none, to the one whom it mentions first:
-- the customer's own post is missing from the file. Else it opens a thread and speaks to all.
CREATE OR REPLACE TEMP TABLE account_post AS
WITH spoken AS (
    SELECT kept_post.n, root, place, account_index, target.author_key AS customer_key
    FROM kept_post LEFT JOIN light AS target ON target.n = kept_post.target
    WHERE account_index >= 0
),
mentioned AS (
    SELECT post.n, lower(regexp_extract(text, '^[\s.]*@(\w+)', 1)) AS customer_key
    FROM post SEMI JOIN (SELECT n FROM spoken WHERE customer_key IS NULL) USING (n)
)
SELECT n, root, place, account_index, coalesce(spoken.customer_key, nullif(mentioned.customer_key, '')) AS customer_key,
       spoken.customer_key IS NULL AS is_opening
FROM spoken LEFT JOIN mentioned USING (n);

CREATE OR REPLACE TEMP TABLE customer_post AS
SELECT kept_post.n, root, place, author_key AS customer_key, is_direct
FROM kept_post JOIN light USING (n)
WHERE is_customer;

-- One row per dialogue: the account spoke to the customer, who posted in the same tree. They are numbered in the order
-- of the published tables, so that a number sorts as industry and id do.
CREATE OR REPLACE TEMP TABLE named_exchange AS
WITH pair AS (
    SELECT DISTINCT root, customer_key, account_index FROM account_post WHERE customer_key IS NOT NULL
),
speaker AS (
    SELECT root, customer_key, bool_or(is_direct) AS is_direct FROM customer_post GROUP BY ALL
),
company AS (
    SELECT root, count(DISTINCT account_index) AS account_count FROM account_post GROUP BY root
),
other_company AS (
    SELECT root, count(DISTINCT author_key) AS other_count FROM kept_post JOIN light USING (n)
    WHERE NOT is_customer AND account_index < 0 GROUP BY root
),
first_post AS (
    -- A missing parent is no post: the tree's first post is the first of what is left of it.
    SELECT root, arg_min(n, place) AS n FROM kept_post WHERE root >= (SELECT count(*) FROM light) GROUP BY root
),
account AS (
    SELECT row_number() OVER (ORDER BY handle_key) - 1 AS account_index, * FROM care_account
),
named AS (
    SELECT root, customer_key, account_index, is_direct, industry, account, is_sample,
           account_count + coalesce(other_count, 0) AS account_count,
           post_id AS root_post_id, sha256(customer_key) AS customer_id,
           root >= (SELECT count(*) FROM light) AS is_truncated,
           left(sha256(concat_ws(E'\x1f', post_id, customer_key, handle_key)), 32) AS dialogue_id
    FROM pair
    JOIN speaker USING (root, customer_key)
    JOIN account USING (account_index)
    JOIN company USING (root)
    LEFT JOIN other_company USING (root)
    LEFT JOIN first_post USING (root)
    JOIN light ON light.n = coalesce(first_post.n, root)
)
SELECT row_number() OVER (ORDER BY industry, dialogue_id) AS exchange, * FROM named;

CREATE OR REPLACE TEMP TABLE exchange AS
SELECT exchange, root, customer_key, account_index, is_direct FROM named_exchange;

-- A post belongs to a dialogue once, however many branches lead to it. An account's opening belongs to the dialogues of
-- those who answered it directly.
CREATE OR REPLACE TEMP TABLE member AS
SELECT exchange, n, place, true AS is_customer
FROM customer_post JOIN exchange USING (root, customer_key)
UNION ALL
SELECT exchange, n, place, false
FROM account_post JOIN exchange USING (root, customer_key, account_index)
UNION ALL
SELECT exchange, n, place, false
FROM account_post JOIN exchange USING (root, account_index)
WHERE is_opening AND is_direct AND NOT EXISTS (
    SELECT 1 FROM exchange AS spoken
    WHERE spoken.root = account_post.root AND spoken.customer_key = account_post.customer_key
);
