-- What pgBossInbox stored in format 1, without the tables of pg-boss. QUEUE stands for the name of the queue.
CREATE SCHEMA IF NOT EXISTS malipo_inbox;
CREATE TABLE IF NOT EXISTS malipo_inbox."QUEUE_events" (due_at BIGINT,
    key BYTEA NOT NULL UNIQUE,
    digest BYTEA NOT NULL,
    kind TEXT NOT NULL,
    raw BYTEA NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at BIGINT NOT NULL,
    signed_at BIGINT,
    signature TEXT,
    trace_context TEXT,
    source TEXT,
    forget_at BIGINT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT
  );
CREATE TABLE IF NOT EXISTS malipo_inbox."QUEUE_conflicts" (
    key BYTEA NOT NULL,
    digest BYTEA NOT NULL,
    kind TEXT NOT NULL,
    raw BYTEA NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at BIGINT NOT NULL,
    signed_at BIGINT,
    signature TEXT,
    trace_context TEXT,
    source TEXT,
    forget_at BIGINT,
    state TEXT NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY (key, digest)
  );
CREATE TABLE IF NOT EXISTS malipo_inbox."QUEUE_doubles" (
    id TEXT PRIMARY KEY,
    "by" TEXT NOT NULL,
    value TEXT NOT NULL,
    reference_1 TEXT NOT NULL,
    reference_2 TEXT NOT NULL,
    merchant TEXT,
    received_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'decided'))
  );
CREATE TABLE IF NOT EXISTS malipo_inbox."QUEUE_meta" (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  );
CREATE INDEX ON malipo_inbox."QUEUE_events" (received_at) WHERE state = 'pending';
CREATE INDEX ON malipo_inbox."QUEUE_events" (due_at) WHERE state = 'pending' AND attempts > 0;
CREATE INDEX ON malipo_inbox."QUEUE_events" (received_at, key) WHERE state = 'dead';
CREATE INDEX ON malipo_inbox."QUEUE_events" (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX ON malipo_inbox."QUEUE_conflicts" (received_at, key, digest) WHERE state = 'open';
CREATE INDEX ON malipo_inbox."QUEUE_conflicts" (forget_at) WHERE forget_at IS NOT NULL;
INSERT INTO malipo_inbox."QUEUE_events" (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, state, attempts, error, due_at, forget_at) VALUES
  ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x0000000000000000000000000000000000000000000000000000000000000001', 'payment.completed', '{"event":"payment.completed","data":{"number":1}}', 0, 1767312245001, 1767312245000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, 'webhook', 'pending', 2, 'no stock', 1767312245000, NULL),
  ('\x0000000000000000000000000000000000000000000000000000000000000002', '\x0000000000000000000000000000000000000000000000000000000000000002', 'payment.completed', '', 0, 1767312245002, 1767312245000, NULL, NULL, 'webhook', 'done', 0, NULL, 1767312245000, 4102444800000),
  ('\x0000000000000000000000000000000000000000000000000000000000000003', '\x0000000000000000000000000000000000000000000000000000000000000003', 'payment.completed', '{"event":"payment.completed","data":{"number":3}}', 0, 1767312245003, 1767312245000, 'f000000000000000000000000000000000000000000000000000000000000003', NULL, 'webhook', 'dead', 12, 'no stock', 1767312245000, NULL);
INSERT INTO malipo_inbox."QUEUE_conflicts" (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, state, forget_at) VALUES
  ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x0000000000000000000000000000000000000000000000000000000000000008', 'payment.completed', '{"event":"payment.completed","data":{"number":8}}', 0, 1767312245008, 1767312245000, 'f000000000000000000000000000000000000000000000000000000000000008', NULL, 'webhook', 'open', NULL),
  ('\x0000000000000000000000000000000000000000000000000000000000000002', '\x0000000000000000000000000000000000000000000000000000000000000009', 'payment.completed', '', 0, 1767312245009, 1767312245000, NULL, NULL, 'webhook', 'decided', 4102444800000);
INSERT INTO malipo_inbox."QUEUE_doubles" VALUES ('1', 'account_reference', 'ORDER-1', 'PAY-1', 'PAY-2', NULL, 1767312245000, 'open');
INSERT INTO malipo_inbox."QUEUE_meta" VALUES ('format', '1'), ('queues', '{"QUEUE/payment.completed":"2026-01-02T00:04:05.000Z"}'), ('forgotten_until', '1767312245000'), ('retention', '1209600000'), ('clock', '1767312245000');
