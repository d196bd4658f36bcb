CREATE TABLE malipo_idempotency_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO malipo_idempotency_meta VALUES ('format', '3');
INSERT INTO malipo_idempotency_meta VALUES ('clock', '{"wallMs":1795481361977,"uptimeMs":6533307,"nowMs":1795481361977}');
CREATE TABLE malipo_idempotency (
    key TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    base_url TEXT NOT NULL,
    scope TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    lease_from INTEGER NOT NULL,
    lease_ms INTEGER NOT NULL,
    parameters TEXT NOT NULL,
    account_reference TEXT,
    amount TEXT,
    phone TEXT,
    result TEXT,
    keep_until INTEGER
  ) STRICT;
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate pending/1', 2, 'succeeded', '0276d36c-533c-4142-8f04-9c3f10cd591a', 'POST /mobile-money/payment/initiate', 'pending/1', 'https://sandbox.malipo.test/api/v1', '', 1795481361983, 6533313, 25000, 'e4f2ae0e:28ef3d3e9e40273d4c3d4e610a4954a32948e66d9181d0884c49735b6a680174', 'e4f2ae0e:9b69381a0820077869c4fc0db38ae855aa4dfaaa781f7197d73b9a75acd16b55', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-6R4125L2Q9QL\",\"checkout_request_id\":\"ws_CO_44203011489782008480\"}}"}', 1798073362005);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate paid/1', 2, 'succeeded', '40a7c27f-fcac-46a8-a56e-9530e24f5ed2', 'POST /mobile-money/payment/initiate', 'paid/1', 'https://sandbox.malipo.test/api/v1', '', 1795481362022, 6533353, 25000, 'e4f2ae0e:a39f3ff40017fe61a297846666f56e362d06996461ad43d043d6c29717a40721', 'e4f2ae0e:027dcd2df333e8af6f79f5c9334192ec3bc6a7b1067d5b2ad1af18e00d2bf93d', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-65JNAY7LZK08\",\"checkout_request_id\":\"ws_CO_49106216709376010120\"}}"}', 1798073362025);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate effect-due/1', 2, 'succeeded', 'ce082ecf-b214-41de-b3a2-115241259a44', 'POST /mobile-money/payment/initiate', 'effect-due/1', 'https://sandbox.malipo.test/api/v1', '', 1795481362043, 6533374, 25000, 'e4f2ae0e:abf0ff9db9a16b5b0527062ca000bec97aa600597e94c795c900e7c48e0acc74', 'e4f2ae0e:44e4b7d4840186a2846df96ab548fe37177d3943b5a162a36dbb0ac6c4f86f61', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-HNF8085XJEE5\",\"checkout_request_id\":\"ws_CO_99822496005267116524\"}}"}', 1798073362065);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate failed/1', 2, 'succeeded', 'dcead7ce-9933-4150-8895-398d3f6ae751', 'POST /mobile-money/payment/initiate', 'failed/1', 'https://sandbox.malipo.test/api/v1', '', 1795481362121, 6533452, 25000, 'e4f2ae0e:dfaf6c59ae03da592a24150eb9a5eb0d4c079072f2e50de7161b5c76c509f45b', 'e4f2ae0e:2253451f9f8ba53c66ab489dc5467dce5d65ed3c6e63fb3f0d39570cfc02d3b9', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-3AGLHZX0NEQC\",\"checkout_request_id\":\"ws_CO_23638450534916825587\"}}"}', 1798073362156);
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
INSERT INTO malipo_inbox_meta VALUES ('format', '1');
INSERT INTO malipo_inbox_meta VALUES ('retention', '1209600000');
INSERT INTO malipo_inbox_meta VALUES ('clock', '{"wallMs":1795481367829,"uptimeMs":6539160,"nowMs":1795481367829}');
CREATE TABLE malipo_checkout_orders (
      id TEXT PRIMARY KEY, version INTEGER NOT NULL, label TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL, has_review INTEGER NOT NULL, created_at INTEGER NOT NULL,
      due_at INTEGER, planned_at INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
INSERT INTO malipo_checkout_orders VALUES ('open', 1, 'Z4D4FK63M889', 'open', 0, 1795481361911, NULL, 1795481361911, '{"id":"open","amount":"100.00","currency":"KES","metadata":{"item":"a"},"description":"Item","accountReference":"Z4D4FK63M889","attempts":[],"money":[],"reviews":[],"createdAt":1795481361911,"updatedAt":1795481361911}');
INSERT INTO malipo_checkout_orders VALUES ('pending', 4, 'ZCAHFXMYPW26', 'pending', 0, 1795481361923, 1795481372686, 1795481367686, '{"id":"pending","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZCAHFXMYPW26","attempts":[{"number":1,"status":"pending","phone":"0712 *** 671","phoneDigest":"e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51","askedAt":1795481361933,"lookAt":1795481372686,"reference":"PAY-6R4125L2Q9QL"}],"money":[],"reviews":[],"createdAt":1795481361923,"updatedAt":1795481367686}');
INSERT INTO malipo_checkout_orders VALUES ('paid', 7, 'Z4T5DE3NNQH3', 'paid', 0, 1795481362007, NULL, 1795481367778, '{"id":"paid","amount":"100.00","currency":"KES","metadata":{},"accountReference":"Z4T5DE3NNQH3","attempts":[{"number":1,"status":"completed","phone":"0712 *** 672","phoneDigest":"e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784","askedAt":1795481362016,"reference":"PAY-65JNAY7LZK08"}],"money":[{"reference":"PAY-65JNAY7LZK08","amount":"100.00","currency":"KES"}],"reviews":[],"createdAt":1795481362007,"updatedAt":1795481367778,"paidBy":"PAY-65JNAY7LZK08","effect":{"tries":1,"at":1795481457771,"state":"done"}}');
INSERT INTO malipo_checkout_orders VALUES ('effect-due', 7, 'ZRQ48S20HX6R', 'paid', 0, 1795481362027, 1795481368778, 1795481367778, '{"id":"effect-due","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZRQ48S20HX6R","attempts":[{"number":1,"status":"completed","phone":"0712 *** 673","phoneDigest":"e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9","askedAt":1795481362027,"reference":"PAY-HNF8085XJEE5"}],"money":[{"reference":"PAY-HNF8085XJEE5","amount":"100.00","currency":"KES"}],"reviews":[],"createdAt":1795481362027,"updatedAt":1795481367778,"paidBy":"PAY-HNF8085XJEE5","effect":{"tries":1,"state":"due","at":1795481368778}}');
INSERT INTO malipo_checkout_orders VALUES ('failed', 5, 'ZBMMAJ3T4K2M', 'open', 0, 1795481362093, 1795481427736, 1795481367736, '{"id":"failed","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZBMMAJ3T4K2M","attempts":[{"number":1,"status":"failed","phone":"0712 *** 674","phoneDigest":"e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1","askedAt":1795481362098,"lookAt":1795481427736,"reference":"PAY-3AGLHZX0NEQC","message":"You cancelled the request.","retry":"now","endedAt":1795481367736}],"money":[],"reviews":[],"createdAt":1795481362093,"updatedAt":1795481367736}');
INSERT INTO malipo_checkout_orders VALUES ('canceled', 2, 'ZY4QXWT2B5VA', 'canceled', 0, 1795481367830, NULL, 1795481367851, '{"id":"canceled","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZY4QXWT2B5VA","attempts":[],"money":[],"reviews":[],"createdAt":1795481367830,"updatedAt":1795481367851,"closed":"canceled"}');
INSERT INTO malipo_checkout_orders VALUES ('review', 2, 'ZS5XCWK4FXWP', 'open', 1, 1795481367852, NULL, 1795481367880, '{"id":"review","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZS5XCWK4FXWP","attempts":[],"money":[{"reference":"PAY-R","amount":"90.00","currency":"KES"}],"reviews":[{"id":"review:amount_mismatch:PAY-R","kind":"amount_mismatch","at":1795481367880,"references":["PAY-R"]}],"createdAt":1795481367852,"updatedAt":1795481367880}');
CREATE TABLE malipo_checkout_payments (
      reference TEXT PRIMARY KEY, order_id TEXT, report TEXT, review TEXT,
      at INTEGER NOT NULL) STRICT;
INSERT INTO malipo_checkout_payments VALUES ('PAY-6R4125L2Q9QL', 'pending', NULL, NULL, 1795481362006);
INSERT INTO malipo_checkout_payments VALUES ('PAY-65JNAY7LZK08', 'paid', NULL, NULL, 1795481362026);
INSERT INTO malipo_checkout_payments VALUES ('PAY-HNF8085XJEE5', 'effect-due', NULL, NULL, 1795481362079);
INSERT INTO malipo_checkout_payments VALUES ('PAY-3AGLHZX0NEQC', 'failed', NULL, NULL, 1795481362182);
INSERT INTO malipo_checkout_payments VALUES ('PAY-R', 'review', NULL, NULL, 1795481367880);
INSERT INTO malipo_checkout_payments VALUES ('PAY-STRANGER', NULL, '{"reference":"PAY-STRANGER","status":"completed","amount":"90.00","currency":"KES","retry":"unknown"}', 'open', 1795481367929);
CREATE TABLE malipo_checkout_prompts (
      order_id TEXT NOT NULL, number INTEGER NOT NULL, phone TEXT NOT NULL,
      at INTEGER NOT NULL, is_open INTEGER NOT NULL, PRIMARY KEY (order_id, number)) STRICT;
INSERT INTO malipo_checkout_prompts VALUES ('pending', 1, 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', 1795481361933, 1);
INSERT INTO malipo_checkout_prompts VALUES ('paid', 1, 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', 1795481362016, 0);
INSERT INTO malipo_checkout_prompts VALUES ('effect-due', 1, 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', 1795481362027, 0);
INSERT INTO malipo_checkout_prompts VALUES ('failed', 1, 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', 1795481362098, 0);
CREATE TABLE malipo_checkout_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO malipo_checkout_meta VALUES ('format', '1');
CREATE INDEX malipo_idempotency_begun_at ON malipo_idempotency (begun_at, key);
CREATE INDEX malipo_idempotency_state ON malipo_idempotency (state, begun_at, key);
CREATE INDEX malipo_idempotency_account_reference
    ON malipo_idempotency (account_reference, begun_at, key) WHERE account_reference IS NOT NULL;
CREATE INDEX malipo_idempotency_keep_until
    ON malipo_idempotency (keep_until) WHERE keep_until IS NOT NULL;
CREATE INDEX malipo_inbox_due ON malipo_inbox (queue, due_at, token, attempts, received_at) WHERE state = 'pending';
CREATE INDEX malipo_inbox_dead ON malipo_inbox (received_at, key) WHERE state = 'dead';
CREATE INDEX malipo_inbox_forget ON malipo_inbox (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX malipo_inbox_open ON malipo_inbox_conflicts (received_at, key, digest) WHERE state = 'open';
CREATE INDEX malipo_inbox_decided ON malipo_inbox_conflicts (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX malipo_checkout_orders_due ON malipo_checkout_orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX malipo_checkout_orders_goods ON malipo_checkout_orders (due_at) WHERE due_at IS NOT NULL AND status = 'paid';
CREATE INDEX malipo_checkout_orders_planned ON malipo_checkout_orders (planned_at) WHERE due_at IS NOT NULL;
CREATE INDEX malipo_checkout_orders_created ON malipo_checkout_orders (created_at, id);
CREATE INDEX malipo_checkout_orders_status ON malipo_checkout_orders (status, created_at, id);
CREATE INDEX malipo_checkout_orders_review ON malipo_checkout_orders (created_at, id) WHERE has_review = 1;
CREATE INDEX malipo_checkout_payments_review ON malipo_checkout_payments (at, reference) WHERE review = 'open';
CREATE INDEX malipo_checkout_payments_stray ON malipo_checkout_payments (at) WHERE order_id IS NULL AND review IS NULL;
CREATE INDEX malipo_checkout_prompts_phone ON malipo_checkout_prompts (phone, at);
