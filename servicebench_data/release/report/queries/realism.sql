-- How real people found the customer, by question asked.
SELECT customer, question, mean, low, high, sd, n, clusters, ratings, raters
FROM measures.customer_realism
WHERE experiment_id = getvariable('experiment') AND "by" = 'all' AND mean IS NOT NULL
ORDER BY question, customer
