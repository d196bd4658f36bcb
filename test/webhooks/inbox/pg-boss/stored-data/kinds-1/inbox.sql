-- What pgBossInbox stored in format 1 of three events that it had processed and three that waited, without the tables of pg-boss. QUEUE stands for the name of the queue.
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
  ('\x02e586c5cb6cca9ba5eb613f601ad4479f089797f24552eb5a09edcbb4c28739', '\x8fb17ca59a36a8bb91df8b7e08afb2473a5d835f85f8a1b426b6423b1ce76df1', 'payment.reversed', '', 0, 1795646969739, 1795593600000, NULL, NULL, NULL, 'done', 0, NULL, 1795646969995, 4102444800000),
  ('\xa90d115c20ebc47839c53926db0d8e85484f4103e92ea49316bca30e75b1c765', '\x4484ce48a561dd7cea42104b9147faf93ce7ddc0d999784bf943ea904815091b', 'subscription.canceled', '', 0, 1795646970023, 1795593600000, NULL, NULL, NULL, 'done', 0, NULL, 1795646970027, 4102444800000),
  ('\xffcbb740f38c90070163c38d06708605fcc276e0761381ec48b2658fab868d8f', '\x75b27b906d71b0e5e7544d48839ae4bf12db29a3098269d27c2d3b35bfd812a1', 'payment.completed', '', 0, 1795646970102, 1795593600000, NULL, NULL, NULL, 'done', 0, NULL, 1795646970103, 4102444800000),
  ('\x893e68bbfbfbc406495b0f918650d194483134134e3b244edf54cac03dc48383', '\xe35d9004281aa3887c14637856c8e07fb67eac3902b08820ae005837fe1b6d8e', 'payment.reversed', '{"event":"payment.reversed","timestamp":"2026-11-25T08:00:00.000Z","data":{"payment_id":2,"reference":"PAY-2","status":"reversed","amount":"100.00","currency":"KES","account_reference":"ORDER-2","channel":"mpesa"}}', 0, 1795646971920, 1795593600000, 'b210d34eb79dbaa4b4c5731a788ff08cd76c3f64f64599fd6a09e73081b308e5', NULL, NULL, 'pending', 0, NULL, 1795646972003, NULL),
  ('\x94cb504210f6c019d8c8a264f140da628e3eca7759b6a46c09e307f1bee0cd35', '\x2ee8f21a1de96509e34064a1eb708572cea81ad12a0d35316dd458514bf1aeae', 'subscription.canceled', '{"event":"subscription.canceled","timestamp":"2026-11-25T08:00:00.000Z","data":{"reference":"SUB-2","amount":"100.00","status":"canceled"}}', 0, 1795646972019, 1795593600000, '31f0aa72bd292f0a58c02972c5b57f19125fc19dc219f268547df592f491302b', NULL, NULL, 'pending', 0, NULL, 1795646972020, NULL),
  ('\xcc22ee2b58e74ce6d1d4c763bde0354529230ea47a7af3d89840a7173a20a3c7', '\xd60b06c076350a15d502cff1b80d8ca10e1442c881898e660bd9dc22bafec115', 'payment.completed', '{"event":"payment.completed","timestamp":"2026-11-25T08:00:00.000Z","data":{"payment_id":2,"reference":"PAY-2","status":"completed","amount":"100.00","currency":"KES","account_reference":"ORDER-2","channel":"mpesa"}}', 0, 1795646972027, 1795593600000, '6b1ad3928f4196451ffde5004b0cc9abab5d7bcd50fe002269598e42dc1422e5', NULL, NULL, 'pending', 0, NULL, 1795646972028, NULL);
INSERT INTO malipo_inbox."QUEUE_meta" VALUES ('format', '1'), ('queues', '{"QUEUE/payment.completed":"2026-01-02T00:04:05.000Z","QUEUE/subscription.canceled":"2026-01-02T00:04:05.000Z","QUEUE/other":"2026-01-02T00:04:05.000Z"}'), ('retention', '1209600000'), ('clock', '1767312245000');
