-- Files that visitors sent. They are stored and deleted with their lead.
CREATE TABLE files (
  lead TEXT NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  field TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (lead, place)
);
