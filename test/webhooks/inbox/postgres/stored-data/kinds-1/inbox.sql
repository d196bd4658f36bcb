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
  VALUES ('other', 941463, NULL, '\x02e586c5cb6cca9ba5eb613f601ad4479f089797f24552eb5a09edcbb4c28739', '\x8fb17ca59a36a8bb91df8b7e08afb2473a5d835f85f8a1b426b6423b1ce76df1', 'payment.reversed', '\x', 0, 1795646965050, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('subscription.canceled', 941463, NULL, '\xa90d115c20ebc47839c53926db0d8e85484f4103e92ea49316bca30e75b1c765', '\x4484ce48a561dd7cea42104b9147faf93ce7ddc0d999784bf943ea904815091b', 'subscription.canceled', '\x', 0, 1795646965054, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('payment.completed', 941463, NULL, '\xffcbb740f38c90070163c38d06708605fcc276e0761381ec48b2658fab868d8f', '\x75b27b906d71b0e5e7544d48839ae4bf12db29a3098269d27c2d3b35bfd812a1', 'payment.completed', '\x', 0, 1795646965059, 1795593600000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('other', 927978, NULL, '\x893e68bbfbfbc406495b0f918650d194483134134e3b244edf54cac03dc48383', '\xe35d9004281aa3887c14637856c8e07fb67eac3902b08820ae005837fe1b6d8e', 'payment.reversed', '\x7b226576656e74223a227061796d656e742e7265766572736564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227061796d656e745f6964223a322c227265666572656e6365223a225041592d32222c22737461747573223a227265766572736564222c22616d6f756e74223a223130302e3030222c2263757272656e6379223a224b4553222c226163636f756e745f7265666572656e6365223a224f524445522d32222c226368616e6e656c223a226d70657361227d7d', 0, 1795646966595, 1795593600000, 'b210d34eb79dbaa4b4c5731a788ff08cd76c3f64f64599fd6a09e73081b308e5', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('subscription.canceled', 927988, NULL, '\x94cb504210f6c019d8c8a264f140da628e3eca7759b6a46c09e307f1bee0cd35', '\x2ee8f21a1de96509e34064a1eb708572cea81ad12a0d35316dd458514bf1aeae', 'subscription.canceled', '\x7b226576656e74223a22737562736372697074696f6e2e63616e63656c6564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227265666572656e6365223a225355422d32222c22616d6f756e74223a223130302e3030222c22737461747573223a2263616e63656c6564227d7d', 0, 1795646966603, 1795593600000, '31f0aa72bd292f0a58c02972c5b57f19125fc19dc219f268547df592f491302b', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox (queue, due_at, token, key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state, attempts, error)
  VALUES ('payment.completed', 927998, NULL, '\xcc22ee2b58e74ce6d1d4c763bde0354529230ea47a7af3d89840a7173a20a3c7', '\xd60b06c076350a15d502cff1b80d8ca10e1442c881898e660bd9dc22bafec115', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2274696d657374616d70223a22323032362d31312d32355430383a30303a30302e3030305a222c2264617461223a7b227061796d656e745f6964223a322c227265666572656e6365223a225041592d32222c22737461747573223a22636f6d706c65746564222c22616d6f756e74223a223130302e3030222c2263757272656e6379223a224b4553222c226163636f756e745f7265666572656e6365223a224f524445522d32222c226368616e6e656c223a226d70657361227d7d', 0, 1795646966615, 1795593600000, '6b1ad3928f4196451ffde5004b0cc9abab5d7bcd50fe002269598e42dc1422e5', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO SCHEMA.inbox_meta (name, value)
  VALUES ('format', '1');
INSERT INTO SCHEMA.inbox_meta (name, value)
  VALUES ('retention', '1209600000');
