-- One row per task and model. Plain SQL that SQLite and PostgreSQL both take; percentiles are nearest ranks.
WITH answered AS (
    SELECT task, model, latency_seconds,
           row_number() OVER (PARTITION BY task, model ORDER BY latency_seconds, key) AS place,
           count(*) OVER (PARTITION BY task, model) AS places
    FROM call
    WHERE status = 'answered'
),
latency AS (
    SELECT task, model,
           max(CASE WHEN place = (places * 50 + 99) / 100 THEN latency_seconds END) AS p50,
           max(CASE WHEN place = (places * 95 + 99) / 100 THEN latency_seconds END) AS p95
    FROM answered
    GROUP BY task, model
),
used AS (
    SELECT call.task, call.model,
           sum(answer_use.uses) AS uses,
           sum(CASE WHEN answer_use.is_accepted THEN 0 WHEN answer_use.is_accepted IS NULL THEN 0 ELSE 1 END) AS refused
    FROM answer_use
    JOIN call ON call.key = answer_use.key
    GROUP BY call.task, call.model
),
paid AS (
    SELECT task, model,
           sum(CASE WHEN status = 'answered' THEN 1 ELSE 0 END) AS calls,
           sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failed,
           sum(attempts) AS requests,
           sum(coalesce(tokens_in, 0)) AS tokens_in,
           sum(coalesce(tokens_out, 0)) AS tokens_out,
           sum(cost_usd) AS cost_usd,
           sum(CASE WHEN status = 'answered' AND cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced
    FROM call
    GROUP BY task, model
)
SELECT paid.task, paid.model, paid.calls, paid.requests,
       CASE WHEN coalesce(used.uses, 0) > paid.calls THEN used.uses - paid.calls ELSE 0 END AS reused,
       coalesce(used.refused, 0) AS refused, paid.failed, paid.tokens_in, paid.tokens_out,
       paid.cost_usd, paid.unpriced, latency.p50, latency.p95
FROM paid
LEFT JOIN used ON used.task = paid.task AND used.model = paid.model
LEFT JOIN latency ON latency.task = paid.task AND latency.model = paid.model
ORDER BY paid.task, paid.model
