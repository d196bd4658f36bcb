CREATE SCHEMA IF NOT EXISTS SCHEMA;
CREATE TABLE IF NOT EXISTS SCHEMA.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text COLLATE "C" NOT NULL,
    due_at bigint NOT NULL,
    token bigint,
    "key" bytea NOT NULL UNIQUE,
    digest bytea NOT NULL,
    kind text COLLATE "C" NOT NULL,
    raw bytea NOT NULL,
    secret_index bigint NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature text,
    trace_context text,
    source text,
    forget_at bigint,
    state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts bigint NOT NULL DEFAULT 0,
    error text
  );
CREATE TABLE IF NOT EXISTS SCHEMA.inbox_conflicts (
    "key" bytea NOT NULL,
    digest bytea NOT NULL,
    kind text COLLATE "C" NOT NULL,
    raw bytea NOT NULL,
    secret_index bigint NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature text,
    trace_context text,
    source text,
    forget_at bigint,
    state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY ("key", digest)
  );
CREATE TABLE IF NOT EXISTS SCHEMA.inbox_double_payments (
    id text COLLATE "C" PRIMARY KEY,
    "by" text NOT NULL,
    value text NOT NULL,
    reference_1 text NOT NULL,
    reference_2 text NOT NULL,
    merchant text,
    received_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'decided'))
  );
CREATE INDEX IF NOT EXISTS inbox_due ON SCHEMA.inbox (queue, due_at, token, attempts, received_at) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS inbox_dead ON SCHEMA.inbox (received_at, "key") WHERE state = 'dead';
CREATE INDEX IF NOT EXISTS inbox_forget ON SCHEMA.inbox (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS inbox_conflicts_open ON SCHEMA.inbox_conflicts (received_at, "key", digest) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS inbox_conflicts_decided ON SCHEMA.inbox_conflicts (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS inbox_other ON SCHEMA.inbox (kind, due_at, token, attempts, received_at) WHERE state = 'pending' AND queue = 'other';
CREATE TABLE IF NOT EXISTS SCHEMA.inbox_meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('payment.completed', 2103770, NULL, '\x0000000000000000000000000000000000000000000000000000000000000002', '\x0000000000000000000000000000000000000000000000000000000000000002', 'payment.completed', '\x', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('payment.completed', 2088772, NULL, '\x0000000000000000000000000000000000000000000000000000000000000001', '\x0000000000000000000000000000000000000000000000000000000000000001', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', 'read', NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('other', 2088772, NULL, '\x0000000000000000000000000000000000000000000000000000000000000003', '\x0000000000000000000000000000000000000000000000000000000000000003', 'refund.created', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a337d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000003', NULL, NULL, NULL, 'dead', 0, 'too old');
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('other', 2088774, NULL, '\x0000000000000000000000000000000000000000000000000000000000000004', '\x0000000000000000000000000000000000000000000000000000000000000004', 'payment.reversed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a347d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000004', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('payment.completed', 2088775, NULL, '\x2a4688bdf84be3f3bb7ad784b07f06b585f3326594ae7c63d16fe7470391ce9f', '\x000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000b', 'invoice.paid', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'open');
INSERT INTO SCHEMA.inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', '\x', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'decided');
INSERT INTO SCHEMA.inbox_conflicts (key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state)
  VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000d', 'payment.completed', '\x', 0, 4000000000000, NULL, NULL, NULL, NULL, NULL, 'decided');
INSERT INTO SCHEMA.inbox_double_payments (id, "by", value, reference_1, reference_2, merchant, received_at, state)
  VALUES ('pair-1', 'transaction_id', 'SGL31H4X9K', 'PAY-1', 'PAY-2', 'duka', 4000000000000, 'open');
INSERT INTO SCHEMA.inbox_meta (name, value)
  VALUES ('format', '1');
INSERT INTO SCHEMA.inbox_meta (name, value)
  VALUES ('retention', '1209600000');
