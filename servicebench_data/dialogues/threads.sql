-- From trees to dialogues. Inputs: `post` (the Post table with its row number n) and `kept_post` (posts of trees that
-- hold a care account: root, place in reading order, who wrote it, whom it speaks to). People stand as hashes of their
-- handles: two of one tree would have to share 64 bits to be taken for one.

-- An account's post speaks to the nearest customer above it. Where there is none, to the one whom it mentions first:
-- the customer's own post is missing from the file. Else it opens a thread and speaks to all.
CREATE OR REPLACE TEMP TABLE account_post AS
WITH mentioned AS (
    SELECT post.n, hash(lower(regexp_extract(text, '^[\s.]*@(\w+)', 1))) AS customer
    FROM post SEMI JOIN (SELECT n FROM kept_post WHERE account_index >= 0 AND target < 0) USING (n)
)
SELECT kept_post.n, root, place, account_index, target < 0 AS is_opening,
       CASE WHEN target < 0 THEN mentioned.customer ELSE target_author END AS customer
FROM kept_post LEFT JOIN mentioned ON target < 0 AND mentioned.n = kept_post.n
WHERE account_index >= 0;

CREATE OR REPLACE TEMP TABLE customer_post AS
SELECT n, root, place, author AS customer, is_direct FROM kept_post WHERE is_customer;

-- One row per dialogue: the account spoke to the customer, who posted in the same tree. The customer's first row is in
-- no other dialogue of the account, so both together number it.
CREATE OR REPLACE TEMP TABLE exchange AS
WITH pair AS (
    SELECT DISTINCT root, customer, account_index FROM account_post
),
speaker AS (
    SELECT root, customer, bool_or(is_direct) AS is_direct, min(n) AS customer_n FROM customer_post GROUP BY ALL
)
SELECT customer_n * 65536 + account_index AS exchange, root, customer, account_index, is_direct, customer_n
FROM pair JOIN speaker USING (root, customer);

-- A post belongs to a dialogue once, however many branches lead to it. An account's opening belongs to the dialogues of
-- those who answered it directly.
CREATE OR REPLACE TEMP TABLE member AS
SELECT exchange, n, place, true AS is_customer
FROM customer_post JOIN exchange USING (root, customer)
UNION ALL
SELECT exchange, n, place, false
FROM account_post JOIN exchange USING (root, customer, account_index)
UNION ALL
SELECT exchange, n, place, false
FROM (
    SELECT * FROM account_post
    WHERE is_opening AND NOT EXISTS (
        SELECT 1 FROM exchange
        WHERE exchange.root = account_post.root AND exchange.customer = account_post.customer
    )
) AS opening JOIN exchange USING (root, account_index)
WHERE is_direct;
