-- What the API and `sitegen leads` tell each other: the channels of the API, and the last time that is beyond doubt.
CREATE TABLE facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Leads that were released before an API had named its channels. The next one that starts queues their deliveries.
CREATE TABLE waiting (lead TEXT NOT NULL PRIMARY KEY REFERENCES leads (id) ON DELETE CASCADE) WITHOUT ROWID;

-- The check for health writes a lead now.
DROP TABLE health;
