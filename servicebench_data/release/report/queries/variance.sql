-- Where the variance of scores lies, each agent's mean taken out.
SELECT measure, component, share, variance, sd, levels, n, label
FROM measures.variance_component
WHERE experiment_id = getvariable('experiment') AND share IS NOT NULL
ORDER BY list_position(['total', 'interactional', 'procedural', 'distributive'], measure),
         list_position(['scenario', 'style', 'scenario_x_style', 'agent_x_scenario', 'agent_x_scenario_x_style', 'run',
                        'judge', 'residual'], component)
