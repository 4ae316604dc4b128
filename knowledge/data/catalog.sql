CREATE TABLE IF NOT EXISTS contract (
    embedder TEXT NOT NULL, dimension INTEGER NOT NULL, chunker TEXT NOT NULL,
    version INTEGER NOT NULL, collections TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
    path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, seen_ns INTEGER NOT NULL,
    read_with TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, title TEXT NOT NULL,
    own_date TEXT NOT NULL, modified TEXT NOT NULL, tags TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS pages (
    document TEXT NOT NULL, page INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (document, page)
);
CREATE TABLE IF NOT EXISTS passages (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, page INTEGER NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL,
    text TEXT NOT NULL, script TEXT NOT NULL, dense INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS passages_in_order ON passages (document, page, start);
CREATE INDEX IF NOT EXISTS passages_without_vector ON passages (dense) WHERE dense = 0;
CREATE TABLE IF NOT EXISTS stale (id TEXT PRIMARY KEY, script TEXT NOT NULL);

-- Counts and the sum of all ids, so that no search has to count a million rows.
CREATE TABLE IF NOT EXISTS totals (
    one INTEGER PRIMARY KEY CHECK (one = 1), passages INTEGER NOT NULL, missing INTEGER NOT NULL,
    changes INTEGER NOT NULL, checksum TEXT NOT NULL, unsettled INTEGER NOT NULL
);
INSERT OR IGNORE INTO totals VALUES (1, 0, 0, 0, '0', 0);
CREATE TRIGGER IF NOT EXISTS passage_added AFTER INSERT ON passages BEGIN
    UPDATE totals SET passages = passages + 1, missing = missing + (NEW.dense = 0), changes = changes + 1;
END;
CREATE TRIGGER IF NOT EXISTS passage_dropped AFTER DELETE ON passages BEGIN
    UPDATE totals SET passages = passages - 1, missing = missing - (OLD.dense = 0), changes = changes + 1;
END;
CREATE TRIGGER IF NOT EXISTS passage_settled AFTER UPDATE OF dense ON passages BEGIN
    UPDATE totals SET missing = missing + (NEW.dense = 0) - (OLD.dense = 0);
END;
