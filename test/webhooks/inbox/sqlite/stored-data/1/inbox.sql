CREATE TABLE malipo_inbox (
    id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    token INTEGER,
    key BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    kind TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    signed_at INTEGER,
    signature TEXT,
    trace_context TEXT,
    source TEXT,
    forget_at INTEGER,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT
  ) STRICT;
CREATE TABLE malipo_inbox_conflicts (
    key BLOB NOT NULL,
    digest BLOB NOT NULL,
    kind TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    signed_at INTEGER,
    signature TEXT,
    trace_context TEXT,
    source TEXT,
    forget_at INTEGER,
    state TEXT NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY (key, digest)
  ) STRICT;
CREATE TABLE malipo_inbox_double_payments (
    id TEXT PRIMARY KEY,
    "by" TEXT NOT NULL,
    value TEXT NOT NULL,
    reference_1 TEXT NOT NULL,
    reference_2 TEXT NOT NULL,
    merchant TEXT,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'decided'))
  ) STRICT;
CREATE TABLE malipo_inbox_meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
CREATE INDEX malipo_inbox_due ON malipo_inbox (queue, due_at, token, attempts, received_at) WHERE state = 'pending';
CREATE INDEX malipo_inbox_dead ON malipo_inbox (received_at, key) WHERE state = 'dead';
CREATE INDEX malipo_inbox_forget ON malipo_inbox (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX malipo_inbox_open ON malipo_inbox_conflicts (received_at, key, digest) WHERE state = 'open';
CREATE INDEX malipo_inbox_decided ON malipo_inbox_conflicts (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX malipo_inbox_other ON malipo_inbox (kind, due_at, token, attempts, received_at) WHERE state = 'pending' AND queue = 'other';
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (1, 'payment.completed', 2103770, NULL, x'0000000000000000000000000000000000000000000000000000000000000002', x'0000000000000000000000000000000000000000000000000000000000000002', 'payment.completed', x'', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (2, 'payment.completed', 2088772, NULL, x'0000000000000000000000000000000000000000000000000000000000000001', x'0000000000000000000000000000000000000000000000000000000000000001', 'payment.completed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', 'read', NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (3, 'other', 2088772, NULL, x'0000000000000000000000000000000000000000000000000000000000000003', x'0000000000000000000000000000000000000000000000000000000000000003', 'refund.created', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a337d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000003', NULL, NULL, NULL, 'dead', 0, 'too old');
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (4, 'other', 2088774, NULL, x'0000000000000000000000000000000000000000000000000000000000000004', x'0000000000000000000000000000000000000000000000000000000000000004', 'payment.reversed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a347d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000004', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (5, 'payment.completed', 2088775, NULL, x'2a4688bdf84be3f3bb7ad784b07f06b585f3326594ae7c63d16fe7470391ce9f', x'000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000b', 'invoice.paid', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'open');
INSERT INTO malipo_inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', x'', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'decided');
INSERT INTO malipo_inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000d', 'payment.completed', x'', 0, 4000000000000, NULL, NULL, NULL, NULL, NULL, 'decided');
INSERT INTO malipo_inbox_double_payments (id, "by", value, reference_1, reference_2, merchant, received_at, state)
  VALUES ('pair-1', 'transaction_id', 'SGL31H4X9K', 'PAY-1', 'PAY-2', 'duka', 4000000000000, 'open');
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('format', '1');
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('retention', '1209600000');
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('clock', '{"wallMs":1795476917440,"uptimeMs":2088771,"nowMs":1795476917440}');
