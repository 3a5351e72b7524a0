-- Leads, what makes each of them the only one, and the news of them that has to be delivered.
CREATE TABLE leads (
  id TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  locale TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  -- In lower case, to find all leads of a person.
  email TEXT NOT NULL,
  -- What the visitor said, as JSON.
  contents TEXT NOT NULL,
  -- SHA-256 of the submission's key.
  key BLOB UNIQUE,
  fingerprint BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX leads_by_email ON leads (email) WHERE email <> '';

-- SHA-256 of the captchas' tokens that were used.
CREATE TABLE tokens (token BLOB NOT NULL PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX tokens_by_time ON tokens (at);

CREATE TABLE deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  lead TEXT NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
  channel TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('due', 'done', 'dead')),
  next INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  since INTEGER NOT NULL,
  trouble TEXT
) WITHOUT ROWID;
CREATE INDEX deliveries_by_lead ON deliveries (lead);
CREATE INDEX deliveries_open ON deliveries (state, next) WHERE state <> 'done';

-- Written to find out whether anything can be written.
CREATE TABLE health (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
