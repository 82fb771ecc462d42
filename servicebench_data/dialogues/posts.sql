-- Rules for single cells and rows of a file of posts. Every macro takes text as it stands in the file.

-- Digits stay digits, `3.0` becomes `3`; anything that is no id (exponents, separators, sentences) becomes NULL.
CREATE OR REPLACE TEMP MACRO normalise_id(raw) AS
    CASE
        WHEN regexp_full_match(raw, '[0-9]+') THEN raw
        WHEN raw IS NULL OR raw = '' THEN NULL
        WHEN regexp_full_match(trim(raw), '\d+\.0+') THEN regexp_extract(trim(raw), '^\d+')
        WHEN regexp_full_match(trim(raw), '[0-9.]+[eE]\+?[0-9]+') THEN NULL
        WHEN regexp_full_match(trim(raw), '[\w:-]{1,100}') THEN trim(raw)
    END;

CREATE OR REPLACE TEMP MACRO is_float_id(raw) AS
    contains(raw, '.') AND regexp_full_match(trim(raw), '\d+\.0+');

-- A parent that is no id is still a parent that is missing: it keeps its text, and its answers are a truncated thread.
CREATE OR REPLACE TEMP MACRO normalise_parent(raw) AS
    coalesce(normalise_id(raw), nullif(left(trim(raw), 100), ''));

CREATE OR REPLACE TEMP MACRO normalise_author(raw) AS
    CASE
        WHEN regexp_full_match(raw, '\w{1,100}') THEN raw
        WHEN regexp_full_match(trim(raw), '\d+\.0+') THEN regexp_extract(trim(raw), '^\d+')
        ELSE nullif(left(ltrim(trim(raw), '@'), 100), '')
    END;

CREATE OR REPLACE TEMP MACRO normalise_inbound(raw) AS
    CASE
        WHEN raw IN ('True', 'TRUE', 'true') THEN true
        WHEN raw IN ('False', 'FALSE', 'false') THEN false
        WHEN lower(trim(raw)) IN ('true', 't', '1', '1.0', 'yes', 'y') THEN true
        WHEN lower(trim(raw)) IN ('false', 'f', '0', '0.0', 'no', 'n') THEN false
    END;

CREATE OR REPLACE TEMP MACRO parse_time(raw) AS
    CASE
        WHEN raw IS NULL OR raw = '' THEN NULL
        ELSE coalesce(
            try_strptime(raw, '%a %b %d %H:%M:%S %z %Y'),
            try_cast(raw AS TIMESTAMPTZ)
        )
    END;

-- "9,6,10", [9, 6, 10] and 9.0 are lists of ids, in their order.
CREATE OR REPLACE TEMP MACRO split_ids(raw) AS
    CASE
        WHEN raw IS NULL THEN CAST([] AS VARCHAR[])
        WHEN regexp_full_match(raw, '[0-9]+(?:,[0-9]+)*') THEN string_split(raw, ',')
        ELSE list_filter(
            list_transform(string_split(translate(raw, '[]" ''', ''), ','), lambda part: normalise_id(part)),
            lambda part: part IS NOT NULL
        )
    END;

CREATE OR REPLACE TEMP MACRO is_blank(raw) AS
    CASE WHEN raw IS NULL THEN true WHEN ascii(raw) > 32 THEN false ELSE regexp_full_match(raw, '\s*') END;

CREATE OR REPLACE TEMP TABLE staged (
    post_id VARCHAR,
    author_id VARCHAR,
    is_inbound BOOLEAN,
    created_at TIMESTAMPTZ,
    text VARCHAR,
    response_ids VARCHAR,
    parent_id VARCHAR,
    reason VARCHAR,
    marks UTINYINT,
    source_index USMALLINT
);

CREATE OR REPLACE TEMP TABLE source_file (source_index USMALLINT, source VARCHAR, start BIGINT);
