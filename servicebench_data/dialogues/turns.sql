-- From `member` to `spoken`: the posts of each dialogue with their turn and their place in it.

CREATE OR REPLACE TEMP TABLE spoken AS
WITH numbered AS (
    SELECT named_exchange.exchange, n, place, is_customer
    FROM member JOIN named_exchange ON pair = member.exchange
),
marked AS (
    SELECT *, lag(is_customer) OVER (PARTITION BY exchange ORDER BY place) IS DISTINCT FROM is_customer AS starts
    FROM numbered
)
SELECT exchange, n, is_customer, starts,
       CAST(sum(CAST(starts AS INTEGER)) OVER earlier AS INTEGER) - 1 AS turn,
       CAST(count(*) OVER earlier AS INTEGER) - 1 AS position
FROM marked
WINDOW earlier AS (PARTITION BY exchange ORDER BY place ROWS UNBOUNDED PRECEDING);

DROP TABLE member;
