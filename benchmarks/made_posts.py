"""A made-up file of posts for measuring: 13 accounts, customers and bystanders, branches, line breaks, emoji.

Belongs here: the file, made as a whole by DuckDB, the same for the same size. Not here: what is measured with it.
"""

from pathlib import Path

import duckdb

HANDLES = {
    "airline": ("AmericanAir", "Delta", "JetBlue", "SouthwestAir"),
    "hotel": ("HiltonHelp", "IHGService"),
    "restaurant": ("McDonalds", "TacoBellTeam", "KFC_UKI_Help"),
    "retail": ("AskTarget", "Walmart"),
    "ride_hailing_delivery": ("Uber_Support", "AskLyft"),
}

CUSTOMER_PARTS = [
    "my flight {n2}{n2} to Boston has been delayed for {n1} hours and nobody tells us anything",
    "your app keeps crashing when I try to pay",
    "still waiting for my bag, it has been {n1} days now",
    "I was charged ${n2} twice for the same order",
    "the driver cancelled on me at the last minute 😡",
    "worst customer service I have ever seen",
    "the room smelled of smoke &amp; the AC was broken",
    "you guys forgot half of my order again 🙄🍔",
    "how do I get a refund for this?",
    "I have been on hold for {n2} minutes",
    "thank you so much, that was quick 👍🏻",
    "they told me to come back tomorrow, which I can't",
    "is there anyone who can help me with my reservation",
    "no response to three emails",
    "we had to pay $1{n2} for a taxi because of this",
    "it's the second time this month that this happens",
    "the website says delivered\nbut there is nothing at my door",
    "please fix this before Friday",
    "I just want my money back",
    "and the gate agent was really rude to my mother",
]
CUSTOMER_DETAILS = [
    "order #{n8}",
    "my confirmation number is K{n2}XQ{n1}",
    "call me at 212-555-01{n2}",
    "my name is Xiomara Teller",
    "spoke to Dave yesterday",
    "see https://t.co/a{n8}",
    "cc @friend_{n2}",
    "@1{n2}{n2} what do you say",
]
ACCOUNT_PARTS = [
    "We're sorry to hear about this.",
    "Please send us a DM with your confirmation number so that we can take a look.",
    "That's not the experience we want for you.",
    "Our team is working to get you on your way as soon as possible.",
    "Can you tell us which store this was, and when?",
    "We'll pass your feedback to the right team.",
    "Refunds take up to 7 business days to show on your statement.",
    "We appreciate your patience while we look into this.",
    "Send us a note at https://t.co/b12345 so that our team can follow up.",
    "Thanks for reaching out!",
    "Happy to help!",
    "Is there anything else we can do?",
]
NAMES = ["Sarah", "Mike", "Chris", "Jennifer", "David", "Priya", "Tom", "Laura", "James", "Ashley"]


def generate_posts(path: Path, count: int) -> None:
    """Write a file of about `count` posts in the TWCS layout: branches, bystanders, line breaks in quotes, emoji."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")
        for name, values in {
            "customer_part": CUSTOMER_PARTS,
            "customer_detail": CUSTOMER_DETAILS,
            "account_part": ACCOUNT_PARTS,
            "given": NAMES,
            "handle": [handle for handles in HANDLES.values() for handle in handles],
        }.items():
            connection.execute(f"SET VARIABLE {name} = $values", {"values": values})
        connection.execute("SET VARIABLE post_count = $count", {"count": count})
        connection.execute(GENERATE)
        connection.execute(f"COPY (FROM row) TO '{path}' (HEADER, DELIMITER ',', QUOTE '\"')")


GENERATE = r"""
CREATE MACRO roll(key, salt, sides) AS CAST(hash(key, salt) % sides AS BIGINT);
CREATE MACRO fill(pattern, key) AS
    replace(replace(replace(pattern, '{n1}', CAST(2 + roll(key, 'n1', 8) AS VARCHAR)),
        '{n2}', CAST(10 + roll(key, 'n2', 90) AS VARCHAR)),
        '{n8}', CAST(10000000 + roll(key, 'n8', 90000000) AS VARCHAR));
CREATE MACRO pick(name, key, salt) AS getvariable(name)[1 + roll(key, salt, len(getvariable(name)))];
CREATE TABLE thread AS
SELECT t, 2 + roll(t, 'length', 4) + CASE WHEN roll(t, 'long', 10) = 0 THEN roll(t, 'more', 12) ELSE 0 END AS size,
       200000 + roll(t, 'customer', 700000) AS customer,
       pick('handle', t, 'account') AS account
FROM range(CAST(getvariable('post_count') / 4.05 AS BIGINT)) AS thread(t);
CREATE TABLE post AS
SELECT *, row_number() OVER (ORDER BY hash(t, j)) AS id FROM (
    SELECT t, j, customer, account, t * 100 + j AS key,
           CASE
               WHEN j = 0 THEN 'customer'
               WHEN roll(t * 100 + j, 'bystander', 25) = 0 THEN 'bystander'
               WHEN j % 2 = 1 OR roll(t * 100 + j, 'role', 12) = 0 THEN 'account'
               ELSE 'customer'
           END AS role,
           CASE
               WHEN j = 0 THEN NULL
               WHEN j > 1 AND roll(t * 100 + j, 'branch', 8) = 0 THEN j - 2
               ELSE j - 1
           END AS above
    FROM thread, range(thread.size) AS place(j)
);
CREATE TABLE row AS
SELECT tweet_id, author_id, inbound, created_at, text, response_tweet_id, in_response_to_tweet_id FROM (
SELECT post.id AS tweet_id,
       CASE post.role WHEN 'account' THEN post.account WHEN 'customer' THEN CAST(post.customer AS VARCHAR)
            ELSE CAST(1000000 + roll(post.key, 'other', 90000) AS VARCHAR) END AS author_id,
       CASE post.role WHEN 'account' THEN 'False' ELSE 'True' END AS inbound,
       strftime(TIMESTAMP '2017-10-01'
                + to_seconds(roll(post.t, 'start', 5000000) + post.j * 600 + roll(post.key, 'gap', 500)),
                '%a %b %d %H:%M:%S +0000 %Y') AS created_at,
       CASE post.role
           WHEN 'account' THEN '@' || post.customer || ' '
               || CASE roll(post.key, 'hi', 4) WHEN 0 THEN 'Hi ' || pick('given', post.t, 'name') || '. ' ELSE '' END
               || pick('account_part', post.key, 'a') || ' ' || pick('account_part', post.key, 'b')
               || CASE WHEN roll(post.key, 'sign', 10) < 6
                       THEN ' ^' || chr(CAST(65 + roll(post.key, 's1', 26) AS INTEGER))
                           || chr(CAST(65 + roll(post.key, 's2', 26) AS INTEGER))
                       ELSE '' END
           ELSE '@' || post.account || ' ' || fill(pick('customer_part', post.key, 'a'), post.key) || '. '
               || fill(pick('customer_part', post.key, 'b'), post.key)
               || CASE WHEN roll(post.key, 'detail', 12) = 0
                       THEN ', ' || fill(pick('customer_detail', post.key, 'd'), post.key)
                       ELSE '' END
       END AS text,
       answers AS response_tweet_id, parent.id AS in_response_to_tweet_id, hash(post.id, 'order') AS shuffle
FROM post
LEFT JOIN post AS parent ON parent.t = post.t AND parent.j = post.above
LEFT JOIN (
    SELECT t, above AS j, string_agg(id, ',' ORDER BY id) AS answers FROM post WHERE above IS NOT NULL GROUP BY ALL
) AS answer ON answer.t = post.t AND answer.j = post.j
) ORDER BY shuffle;
"""
