-- From the text of the posts in `member` to `cleaned(n, is_account, text, signature, part, parts)`.
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
        WHEN contains(raw, 'http') OR contains(raw, 'www.') OR contains(raw, '.co/') OR contains(raw, '.com/')
        THEN regexp_replace(
            raw,
            '(?i)(?:https?://|www\.|\b(?:t\.co|bit\.ly|pic\.twitter\.com|[a-z0-9-]+\.com)/)[^\s<>"\x{201D}\])]+', '[link]', 'g')
        ELSE raw
    END;

CREATE OR REPLACE TEMP MACRO strip_mentions(raw) AS
    CASE
        WHEN contains(left(raw, 4), '@')
        THEN regexp_replace(raw, '^(?:[\s.,:;-]*@\w{1,30}(?:[:,.!]*\s+|$))+', '')
        ELSE raw
    END;

CREATE OR REPLACE TEMP MACRO squeeze_blanks(raw) AS
    trim(
        CASE
            WHEN regexp_matches(raw, '  |[\x00-\x1f]')
            THEN regexp_replace(regexp_replace(raw, '[ \x00-\x09\x0b-\x1f]+', ' ', 'g'), ' ?\n[ \n]*', E'\n', 'g')
            ELSE raw
        END,
        E' \n'
    );

-- Agents sign with initials or a name after a sign, at the end or before a last link.
CREATE OR REPLACE TEMP MACRO find_signature(raw) AS
    regexp_extract(
        raw,
        '(?:^|[\s.!?,)\x{2026}''"])\s*((?:[\^*~]\s?[A-Za-z]{1,12}\.?|[-\x{2013}\x{2014}/]\s?[A-Z][A-Za-z]{0,11})(?: [A-Z][a-z]{0,11}\.?)?)((?:\s*\(?\d\s?/\s?\d\)?)?(?:\s*\[link\])*)$',
        ['sign', 'rest']
    );

CREATE OR REPLACE TEMP MACRO normalise_signature(sign) AS
    lower(trim(sign, '^*~-–—/ .'));

CREATE OR REPLACE TEMP MACRO is_signature(sign) AS
    sign <> '' AND (
        sign[1] IN ('^', '*', '~')
        OR regexp_full_match(sign, '\W+[A-Z]{1,4}')
        OR NOT list_contains(getvariable('not_signature'), normalise_signature(sign))
    );

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

CREATE OR REPLACE TEMP TABLE cleaned AS
WITH raw AS (
    SELECT n, text, author_id FROM post SEMI JOIN member USING (n)
),
plain AS (
    SELECT raw.n, care_account.handle_key IS NOT NULL AS is_account,
           squeeze_blanks(strip_mentions(replace_links(disarm_tokens(strip_invisible(
               coalesce(mended.text, decode_entities(raw.text))))))) AS text
    FROM raw
    LEFT JOIN mended USING (n)
    LEFT JOIN care_account ON handle_key = lower(author_id)
),
searched AS (
    SELECT *, CASE WHEN is_account THEN find_signature(text) END AS found FROM plain
),
signed AS (
    SELECT n, is_account,
           CASE
               WHEN is_signature(found.sign)
               THEN squeeze_blanks(left(text, length(text) - length(found.sign) - length(found.rest)) || found.rest)
               ELSE text
           END AS text,
           CASE WHEN is_signature(found.sign) THEN normalise_signature(found.sign) END AS signature
    FROM searched
)
SELECT *, try_cast(regexp_extract(part_text, '^\d+') AS INTEGER) AS part,
       try_cast(regexp_extract(part_text, '\d+$') AS INTEGER) AS parts
FROM (
    SELECT *, CASE WHEN regexp_matches(text, '\d\s?(?:/|of)\s?\d') THEN find_part(text) END AS part_text FROM signed
);
