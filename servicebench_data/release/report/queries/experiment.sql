-- The experiment, the build that it was played on, and who judged.
SELECT e.experiment_id, e.title, e.seed, e.definition, b.build_id, b.built_at, b.source, b.license, b.product_version,
       (SELECT list_sort(list(DISTINCT s.judge || ' (' || s.judge_made_by || ')'))
        FROM judging.score AS s JOIN simulation.conversation AS c USING (conversation_id)
        WHERE c.experiment_id = e.experiment_id) AS judges,
       (SELECT list_sort(list(DISTINCT s.grading_version))
        FROM judging.score AS s JOIN simulation.conversation AS c USING (conversation_id)
        WHERE c.experiment_id = e.experiment_id) AS grading_versions
FROM simulation.experiment AS e, release.build AS b
WHERE e.experiment_id = getvariable('experiment')
