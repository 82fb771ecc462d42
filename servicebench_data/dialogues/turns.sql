-- From `member` and `cleaned` to `spoken`: the posts of each dialogue with their turn and their place in it.

CREATE OR REPLACE TEMP TABLE spoken AS
WITH marked AS (
    SELECT exchange, n, place, is_customer,
           lag(is_customer) OVER (PARTITION BY exchange ORDER BY place) IS DISTINCT FROM is_customer AS starts
    FROM member
)
SELECT exchange, n, is_customer, starts,
       CAST(sum(CAST(starts AS INTEGER)) OVER earlier AS INTEGER) - 1 AS turn,
       CAST(count(*) OVER earlier AS INTEGER) - 1 AS position
FROM marked
WINDOW earlier AS (PARTITION BY exchange ORDER BY place ROWS UNBOUNDED PRECEDING);

-- Turns of more than one post.
CREATE OR REPLACE TEMP TABLE long_turn AS
SELECT DISTINCT exchange, turn FROM spoken WHERE NOT starts;

-- Parts of one message, where a turn holds all of them: each goes to the place that its number gives it.
CREATE OR REPLACE TEMP TABLE joined_part AS
WITH numbered AS (
    SELECT exchange, turn, n, position, part, parts,
           row_number() OVER (PARTITION BY exchange, turn, parts, part ORDER BY position) AS message
    FROM spoken SEMI JOIN long_turn USING (exchange, turn) JOIN cleaned USING (n)
    WHERE part BETWEEN 1 AND parts AND parts BETWEEN 2 AND 20
),
complete AS (
    SELECT exchange, turn, parts, message FROM numbered GROUP BY ALL HAVING count(*) = parts
),
placed AS (
    SELECT *, row_number() OVER (PARTITION BY exchange, turn, parts, message ORDER BY part) AS rank,
           list(position) OVER (PARTITION BY exchange, turn, parts, message ORDER BY position
                                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS places
    FROM numbered SEMI JOIN complete USING (exchange, turn, parts, message)
)
SELECT exchange, turn, n, parts, message, places[rank] AS position FROM placed;

CREATE OR REPLACE TEMP TABLE placed_post AS
SELECT spoken.exchange, spoken.n, spoken.is_customer, spoken.turn,
       coalesce(joined_part.position, spoken.position) AS position, joined_part.n IS NOT NULL AS is_part
FROM spoken LEFT JOIN joined_part ON joined_part.exchange = spoken.exchange AND joined_part.n = spoken.n;

DROP TABLE member;
DROP TABLE spoken;
