-- What the customer of a scenario knows.
SELECT f.scenario_id AS id, f.fact_id AS fact, f.statement AS text, f.disclosure AS opens, f.is_customer_only AS own,
       f.is_inferred AS inferred
FROM scenarios.fact AS f
WHERE f.scenario_id IN (SELECT scenario_id FROM simulation.conversation WHERE experiment_id = getvariable('experiment'))
ORDER BY f.scenario_id, length(f.fact_id), f.fact_id
