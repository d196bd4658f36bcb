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
  VALUES (1, 'other', 941463, NULL, x'02e586c5cb6cca9ba5eb613f601ad4479f089797f24552eb5a09edcbb4c28739', x'8fb17ca59a36a8bb91df8b7e08afb2473a5d835f85f8a1b426b6423b1ce76df1', 'payment.reversed', x'', 0, 1795646965050, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (2, 'subscription.canceled', 941463, NULL, x'a90d115c20ebc47839c53926db0d8e85484f4103e92ea49316bca30e75b1c765', x'4484ce48a561dd7cea42104b9147faf93ce7ddc0d999784bf943ea904815091b', 'subscription.canceled', x'', 0, 1795646965054, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (3, 'payment.completed', 941463, NULL, x'ffcbb740f38c90070163c38d06708605fcc276e0761381ec48b2658fab868d8f', x'75b27b906d71b0e5e7544d48839ae4bf12db29a3098269d27c2d3b35bfd812a1', 'payment.completed', x'', 0, 1795646965059, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (4, 'other', 927978, NULL, x'893e68bbfbfbc406495b0f918650d194483134134e3b244edf54cac03dc48383', x'e35d9004281aa3887c14637856c8e07fb67eac3902b08820ae005837fe1b6d8e', 'payment.reversed', x'7b226576656e74223a227061796d656e742e7265766572736564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227061796d656e745f6964223a322c227265666572656e6365223a225041592d32222c22737461747573223a227265766572736564222c22616d6f756e74223a223130302e3030222c2263757272656e6379223a224b4553222c226163636f756e745f7265666572656e6365223a224f524445522d32222c226368616e6e656c223a226d70657361227d7d', 0, 1795646966595, 1795593600000, 'b210d34eb79dbaa4b4c5731a788ff08cd76c3f64f64599fd6a09e73081b308e5', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (5, 'subscription.canceled', 927988, NULL, x'94cb504210f6c019d8c8a264f140da628e3eca7759b6a46c09e307f1bee0cd35', x'2ee8f21a1de96509e34064a1eb708572cea81ad12a0d35316dd458514bf1aeae', 'subscription.canceled', x'7b226576656e74223a22737562736372697074696f6e2e63616e63656c6564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227265666572656e6365223a225355422d32222c22616d6f756e74223a223130302e3030222c22737461747573223a2263616e63656c6564227d7d', 0, 1795646966603, 1795593600000, '31f0aa72bd292f0a58c02972c5b57f19125fc19dc219f268547df592f491302b', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox (id, queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES (6, 'payment.completed', 927998, NULL, x'cc22ee2b58e74ce6d1d4c763bde0354529230ea47a7af3d89840a7173a20a3c7', x'd60b06c076350a15d502cff1b80d8ca10e1442c881898e660bd9dc22bafec115', 'payment.completed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227061796d656e745f6964223a322c227265666572656e6365223a225041592d32222c22737461747573223a22636f6d706c65746564222c22616d6f756e74223a223130302e3030222c2263757272656e6379223a224b4553222c226163636f756e745f7265666572656e6365223a224f524445522d32222c226368616e6e656c223a226d70657361227d7d', 0, 1795646966615, 1795593600000, '6b1ad3928f4196451ffde5004b0cc9abab5d7bcd50fe002269598e42dc1422e5', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('clock', '{"wallMs":1795646965084,"uptimeMs":926466,"nowMs":1795646965084}');
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('format', '1');
INSERT INTO malipo_inbox_meta (name, value)
  VALUES ('retention', '1209600000');
