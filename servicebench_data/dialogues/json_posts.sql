-- From `json_row(place, json, is_bad)` to `json_cell`, which has the seven columns of the TWCS layout.

-- A page of the X API holds its posts under `data`, and those that they answer or quote under `includes.tweets`; a page
-- without posts has neither.
CREATE OR REPLACE TEMP TABLE json_post AS
WITH unwrapped AS (
    SELECT
        place,
        is_bad,
        CASE
            WHEN json IS NULL THEN [CAST(NULL AS JSON)]
            WHEN json_type(json, '$.data') = 'ARRAY' THEN from_json(json -> '$.data', '["JSON"]')
            WHEN json_type(json, '$.data') = 'OBJECT' THEN [json -> '$.data']
            WHEN 'OBJECT' IN (json_type(json, '$.meta'), json_type(json, '$.includes'))
                AND json_type(json, '$.id') IS NULL THEN []
            ELSE [json]
        END || CASE
            WHEN json_type(json, '$.includes.tweets') = 'ARRAY' THEN from_json(json -> '$.includes.tweets', '["JSON"]')
            ELSE []
        END AS posts
    FROM json_row
)
SELECT row_number() OVER (ORDER BY place, part) AS place, is_bad, post AS json
FROM (SELECT place, is_bad, unnest(posts) AS post, generate_subscripts(posts, 1) AS part FROM unwrapped);

-- Handles of the X API's users: posts name their author by number only.
CREATE OR REPLACE TEMP TABLE api_user AS
SELECT user_json ->> '$.id' AS user_id, max(user_json ->> '$.username') AS username
FROM (
    SELECT unnest(from_json(json -> '$.includes.users', '["JSON"]')) AS user_json
    FROM json_row WHERE json_type(json, '$.includes.users') = 'ARRAY'
)
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE json_cell AS
WITH named AS (
    SELECT
        place,
        is_bad,
        json,
        json_type(json, '$.tweet_id') IS NULL AND json_type(json, '$.id') IS NOT NULL AS is_api,
        list_filter(
            from_json(json -> '$.referenced_tweets', '[{"type": "VARCHAR", "id": "VARCHAR"}]'),
            lambda reference: reference.type = 'replied_to'
        )[1].id AS replied_to
    FROM json_post
)
SELECT
    place,
    coalesce(is_bad, false) AS is_bad,
    coalesce(json ->> '$.tweet_id', json ->> '$.id') AS tweet_id,
    coalesce(username, json ->> '$.author_id') AS author_id,
    CASE
        WHEN NOT is_api THEN json ->> '$.inbound'
        WHEN account IS NULL THEN 'true'
        ELSE 'false'
    END AS inbound,
    json ->> '$.created_at' AS created_at,
    coalesce(json ->> '$.note_tweet.text', json ->> '$.text') AS text,
    json ->> '$.response_tweet_id' AS response_tweet_id,
    CASE
        WHEN NOT is_api THEN json ->> '$.in_response_to_tweet_id'
        WHEN replied_to IS NOT NULL THEN replied_to
        WHEN json_type(json, '$.referenced_tweets') IS NULL
            AND json ->> '$.conversation_id' <> json ->> '$.id' THEN json ->> '$.conversation_id'
    END AS in_response_to_tweet_id
FROM named
LEFT JOIN api_user ON is_api AND user_id = json ->> '$.author_id'
LEFT JOIN care_account ON handle_key = lower(coalesce(username, json ->> '$.author_id'));
