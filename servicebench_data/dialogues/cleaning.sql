-- From the text of the posts in `spoken` to `said`: a row for each post of a dialogue, in reading order (so that what
-- belongs together lies together), with its cleaned text and the signature that stood behind it. Its row number is `p`
-- from here on.
-- Input `mended(n, text)`: texts that `cleaning.py` has mended (damaged encodings, rare entities).

-- The entities that X escapes, decoded once: the ampersand comes last.
CREATE OR REPLACE TEMP MACRO decode_entities(raw) AS
    CASE
        WHEN contains(raw, '&') THEN
            replace(replace(replace(replace(replace(raw, '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''),
                '&amp;', '&')
        ELSE raw
    END;

-- Invisible characters go (a joiner between emoji stays), unusual blanks become blanks.
CREATE OR REPLACE TEMP MACRO strip_invisible(raw) AS
    CASE
        WHEN strlen(raw) = length(raw) THEN raw
        WHEN NOT regexp_matches(
            raw,
            '[\x{00A0}\x{00AD}\x{1680}\x{2000}-\x{200F}\x{2028}-\x{202F}\x{205F}-\x{2069}\x{3000}\x{FEFF}\x{FFFD}\x{0085}]')
        THEN raw
        ELSE regexp_replace(
            regexp_replace(
                regexp_replace(
                    raw,
                    '[\x{200B}\x{200C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2069}\x{FEFF}\x{00AD}\x{FFFD}]+', '', 'g'),
                '[\x{00A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{0085}]', ' ', 'g'),
            '(^|[\x{0000}-\x{02FF}])\x{200D}+', '\1', 'g')
    END;

-- A token that stands in the raw text is no token of ours.
CREATE OR REPLACE TEMP MACRO disarm_tokens(raw) AS
    CASE
        WHEN contains(raw, '[') THEN regexp_replace(
            raw, '(?i)\[((?:person|user|phone|email|booking|order|loyalty|case|card)-\d+|customer|link)\]', '(\1)', 'g')
        ELSE raw
    END;

CREATE OR REPLACE TEMP MACRO replace_links(raw) AS
    CASE
        WHEN contains(raw, '://') OR contains(raw, 'www.') OR contains(raw, '.co')
        THEN regexp_replace(
            raw,
            '(?i)(?:https?://|www\.|\b(?:t\.co|bit\.ly|pic\.twitter\.com|[a-z0-9-]+\.com)/)[^\s<>"\x{201D}\])]+', '[link]', 'g')
        ELSE raw
    END;

CREATE OR REPLACE TEMP MACRO strip_mentions(raw) AS
    CASE
        WHEN starts_with(raw, '@') OR starts_with(raw, '.@') OR starts_with(raw, ' ')
        THEN regexp_replace(raw, '^(?:[\s.,:;-]*@\w{1,30}(?:[:,.!]*\s+|$))+', '')
        ELSE raw
    END;

CREATE OR REPLACE TEMP MACRO squeeze_blanks(raw) AS
    CASE
        WHEN contains(raw, '  ') OR contains(raw, E'\n') OR contains(raw, E'\t') OR contains(raw, E'\r')
            OR starts_with(raw, ' ') OR ends_with(raw, ' ')
        THEN trim(
            regexp_replace(
                CASE WHEN contains(raw, E'\n') THEN regexp_replace(raw, '[ \t\r]*\n\s*', E'\n', 'g') ELSE raw END,
                '[ \t\r]+', ' ', 'g'),
            E' \t\n\f\r')
        ELSE raw
    END;

-- Agents sign with initials or a name after a sign, at the end or before a last link; some with initials alone. The end
-- stands once, behind all alternatives: then the engine searches from there backwards, which is over in a few letters.
CREATE OR REPLACE TEMP MACRO find_tail(raw) AS
    regexp_extract(
        raw,
        '(?:(?:^|[\s.!?,)\x{2026}''"])\s*(?:[\^*~]\s?[A-Za-z]{1,12}\.?|[-\x{2013}\x{2014}/]\s?[A-Z][A-Za-z]{0,11})(?: [A-Z][a-z]{0,11}\.?)?(?:\s*\(?\d\s?/\s?\d\)?)?|[.!?)\x{2026}]\s+[A-Z]{2,3})(?:\s*\[link\])*$'
    );

CREATE OR REPLACE TEMP MACRO split_tail(tail) AS
    regexp_extract(
        tail,
        '^([\s.!?,)\x{2026}''"]?)\s*((?:[\^*~]\s?[A-Za-z]{1,12}\.?|[-\x{2013}\x{2014}/]\s?[A-Z][A-Za-z]{0,11}|[A-Z]{2,3})(?: [A-Z][a-z]{0,11}\.?)?)((?:\s*\(?\d\s?/\s?\d\)?)?(?:\s*\[link\])*)$',
        ['lead', 'sign', 'rest']
    );

CREATE OR REPLACE TEMP MACRO normalise_signature(sign) AS
    lower(regexp_extract(sign, '[A-Za-z](?:[A-Za-z ]*[A-Za-z])?'));

-- A sign that only signatures have is enough; a dash is not, when a common word or the brand stands behind it.
CREATE OR REPLACE TEMP MACRO is_signature(sign) AS
    CASE
        WHEN regexp_matches(sign, '^[\^*~]') THEN true
        WHEN regexp_full_match(sign, '[A-Z]{2,3}') THEN NOT list_contains(getvariable('no_initials'), sign)
        WHEN regexp_full_match(sign, '\W+[A-Z]{1,4}') THEN true
        ELSE NOT list_contains(getvariable('not_signature'), normalise_signature(sign))
    END;

-- The person behind a signature: `Sarah M` is `sarah`.
CREATE OR REPLACE TEMP MACRO name_signer(sign) AS
    CASE
        WHEN contains(sign, ' ') THEN regexp_replace(normalise_signature(sign), '^(\w{3,}) .*$', '\1')
        ELSE normalise_signature(sign)
    END;

-- Posts that are parts of one message are numbered at their start or their end.
CREATE OR REPLACE TEMP MACRO find_part(raw) AS
    coalesce(
        nullif(regexp_extract(raw, '^\(?(\d{1,2}\s?(?:/|of)\s?\d{1,2})(?:[\s:.)\x{2026}-]|$)', 1), ''),
        nullif(regexp_extract(raw, '(?:^|[\s.(!?,\x{2026}])(\d{1,2}\s?(?:/|of)\s?\d{1,2})\)?(?:\s*\[link\])*$', 1), '')
    );

CREATE OR REPLACE TEMP MACRO strip_part(raw) AS
    regexp_replace(
        regexp_replace(raw, '^\(?\d{1,2}\s?(?:/|of)\s?\d{1,2}(?:[\s:.)\x{2026}-]+|$)', ''),
        '(^|[\s.(!?,\x{2026}])\(?\d{1,2}\s?(?:/|of)\s?\d{1,2}\)?((?:\s*\[link\])*)$', '\1\2'
    );

-- One rule a step: a macro repeats its argument, so nested calls would repeat each other's work.
CREATE OR REPLACE TEMP TABLE said AS
WITH raw AS (
    SELECT exchange, turn, position, starts, is_customer, post_id, created_at, coalesce(mended.text, post.text) AS text
    FROM post JOIN spoken USING (n) LEFT JOIN mended USING (n)
),
decoded AS (SELECT * REPLACE (decode_entities(text) AS text) FROM raw),
visible AS (SELECT * REPLACE (strip_invisible(text) AS text) FROM decoded),
disarmed AS (SELECT * REPLACE (disarm_tokens(text) AS text) FROM visible),
linked AS (SELECT * REPLACE (replace_links(text) AS text) FROM disarmed),
spoken_to AS (SELECT * REPLACE (strip_mentions(text) AS text) FROM linked),
plain AS (SELECT * REPLACE (squeeze_blanks(text) AS text) FROM spoken_to),
searched AS (SELECT *, CASE WHEN is_customer THEN '' ELSE find_tail(text) END AS tail FROM plain),
cut AS (SELECT *, CASE WHEN tail <> '' THEN split_tail(tail) END AS found FROM searched),
checked AS (SELECT *, CASE WHEN tail <> '' THEN is_signature(found.sign) ELSE false END AS is_signed FROM cut),
signed AS (
    SELECT * EXCLUDE (tail, found, is_signed) REPLACE (
               CASE
                   WHEN is_signed
                   THEN left(text, length(text) - length(tail))
                       || CASE WHEN found.lead IN (' ', E'\n') THEN '' ELSE found.lead END
                       || CASE WHEN found.rest = '' THEN '' ELSE ' ' || ltrim(found.rest) END
                   ELSE text
               END AS text
           ),
           CASE WHEN is_signed THEN name_signer(found.sign) END AS signature
    FROM checked
)
SELECT *, false AS is_part FROM signed ORDER BY exchange, position;

DROP TABLE spoken;

-- Turns of more than one post.
CREATE OR REPLACE TEMP TABLE long_turn AS
SELECT DISTINCT exchange, turn FROM said WHERE NOT starts;

-- A table of its own, or the engine would look for parts in all posts before it joins.
CREATE OR REPLACE TEMP TABLE long_post AS
SELECT said.rowid AS p, exchange, turn, position, text FROM said SEMI JOIN long_turn USING (exchange, turn);

-- Parts of one message, where a turn holds all of them: each goes to the place that its number gives it.
CREATE OR REPLACE TEMP TABLE joined_part AS
WITH found AS (
    SELECT p, exchange, turn, position, find_part(text) AS part_text
    FROM long_post WHERE contains(text, '/') OR contains(text, ' of ')
),
split AS (
    SELECT p, exchange, turn, position, try_cast(regexp_extract(part_text, '^\d+') AS INTEGER) AS part,
           try_cast(regexp_extract(part_text, '\d+$') AS INTEGER) AS parts
    FROM found
),
numbered AS (
    SELECT *, row_number() OVER (PARTITION BY exchange, turn, parts, part ORDER BY position) AS message
    FROM split WHERE part BETWEEN 1 AND parts AND parts BETWEEN 2 AND 20
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
SELECT p, exchange, turn, parts, message, places[rank] AS position FROM placed;

DROP TABLE long_post;

UPDATE said SET position = joined_part.position, is_part = true FROM joined_part WHERE said.rowid = p;
