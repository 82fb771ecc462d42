-- Categories with the highest and lowest total over all agents, small groups shrunken towards the common mean.
SELECT r.industry, c.name AS category, r.category_id, r.shrunken AS mean, r.low, r.high, r.mean AS raw_mean, r.sd, r.n,
       r.clusters, r.rank, r.ranked, r.p_adjusted, r.label
FROM measures.category_ranking AS r
JOIN journeys.category AS c USING (industry, category_id)
WHERE r.experiment_id = getvariable('experiment') AND r.agent = 'all' AND r.rank IS NOT NULL
  AND (r.rank <= 6 OR r.rank > r.ranked - 6)
ORDER BY r.rank, r.industry, r.category_id
