CREATE TABLE malipo_idempotency_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO malipo_idempotency_meta VALUES ('format', '3');
INSERT INTO malipo_idempotency_meta VALUES ('clock', '{"wallMs":1795833529126,"uptimeMs":13036412,"nowMs":1795833529126}');
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
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate pending/1', 2, 'succeeded', '15c1a439-73db-403c-aab2-32bf4bf8f13f', 'POST /mobile-money/payment/initiate', 'pending/1', 'https://sandbox.malipo.test/api/v1', '', 1795833529127, 13036412, 25000, 'e4f2ae0e:28ef3d3e9e40273d4c3d4e610a4954a32948e66d9181d0884c49735b6a680174', 'e4f2ae0e:9b69381a0820077869c4fc0db38ae855aa4dfaaa781f7197d73b9a75acd16b55', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-4SNUEVRT5QYA\",\"checkout_request_id\":\"ws_CO_72870267760051184456\"}}"}', 1798425529133);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate paid/1', 2, 'succeeded', '01e2ba37-1ce6-460e-ba35-d9855e4c2469', 'POST /mobile-money/payment/initiate', 'paid/1', 'https://sandbox.malipo.test/api/v1', '', 1795833529141, 13036427, 25000, 'e4f2ae0e:a39f3ff40017fe61a297846666f56e362d06996461ad43d043d6c29717a40721', 'e4f2ae0e:027dcd2df333e8af6f79f5c9334192ec3bc6a7b1067d5b2ad1af18e00d2bf93d', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-L6LK2MPNYELG\",\"checkout_request_id\":\"ws_CO_11244691377254309807\"}}"}', 1798425529144);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate effect-due/1', 2, 'succeeded', '331eef37-0fc7-4c19-b8f6-a5c4da93d928', 'POST /mobile-money/payment/initiate', 'effect-due/1', 'https://sandbox.malipo.test/api/v1', '', 1795833529154, 13036439, 25000, 'e4f2ae0e:abf0ff9db9a16b5b0527062ca000bec97aa600597e94c795c900e7c48e0acc74', 'e4f2ae0e:44e4b7d4840186a2846df96ab548fe37177d3943b5a162a36dbb0ac6c4f86f61', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-8TCL5JXY5D8F\",\"checkout_request_id\":\"ws_CO_94090354214034933722\"}}"}', 1798425529155);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate failed/1', 2, 'succeeded', 'e036d3cf-ef05-4327-8267-6db5ea6d125e', 'POST /mobile-money/payment/initiate', 'failed/1', 'https://sandbox.malipo.test/api/v1', '', 1795833529159, 13036444, 25000, 'e4f2ae0e:dfaf6c59ae03da592a24150eb9a5eb0d4c079072f2e50de7161b5c76c509f45b', 'e4f2ae0e:2253451f9f8ba53c66ab489dc5467dce5d65ed3c6e63fb3f0d39570cfc02d3b9', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-EQ8SRDR2Q7D6\",\"checkout_request_id\":\"ws_CO_37091285756001365823\"}}"}', 1798425529160);
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
INSERT INTO malipo_inbox_meta VALUES ('clock', '{"wallMs":1795833530906,"uptimeMs":13038191,"nowMs":1795833530906}');
CREATE TABLE malipo_checkout_orders (
      id TEXT PRIMARY KEY, version INTEGER NOT NULL, label TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL, has_review INTEGER NOT NULL, created_at INTEGER NOT NULL,
      due_at INTEGER, planned_at INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
INSERT INTO malipo_checkout_orders VALUES ('open', 1, 'Z4D4FK63M889', 'open', 0, 1795833529105, NULL, 1795833529105, '{"id":"open","amount":"100.00","currency":"KES","metadata":{"item":"a"},"description":"Item","accountReference":"Z4D4FK63M889","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795833529105,"updatedAt":1795833529105}');
INSERT INTO malipo_checkout_orders VALUES ('pending', 2, 'ZCAHFXMYPW26', 'pending', 0, 1795833529108, 1795833534133, 1795833529133, '{"id":"pending","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZCAHFXMYPW26","attemptLimit":3,"attempts":[{"number":1,"status":"pending","phone":"0712 *** 671","phoneDigest":"e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51","askedAt":1795833529108,"lookAt":1795833534133,"reference":"PAY-4SNUEVRT5QYA"}],"money":[],"reviews":[],"createdAt":1795833529108,"updatedAt":1795833529133,"log":[{"at":1795833529108,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 671."},{"at":1795833529133,"text":"The service took the prompt of attempt 1: PAY-4SNUEVRT5QYA."}]}');
INSERT INTO malipo_checkout_orders VALUES ('paid', 5, 'Z4T5DE3NNQH3', 'paid', 0, 1795833529136, NULL, 1795833530715, '{"id":"paid","amount":"100.00","currency":"KES","metadata":{},"accountReference":"Z4T5DE3NNQH3","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 672","phoneDigest":"e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784","askedAt":1795833529136,"reference":"PAY-L6LK2MPNYELG"}],"money":[{"reference":"PAY-L6LK2MPNYELG","amount":"100.00","currency":"KES","alias":"payment_id:29"}],"reviews":[],"createdAt":1795833529136,"updatedAt":1795833530715,"log":[{"at":1795833529136,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 672."},{"at":1795833529140,"text":"The service took the prompt of attempt 1: PAY-L6LK2MPNYELG."},{"at":1795833529151,"text":"A webhook says: the payment PAY-L6LK2MPNYELG of KES 100.00 is completed."},{"at":1795833529151,"text":"The order is paid."},{"at":1795833530715,"text":"The goods were given: onPaid has committed."}],"paidBy":"PAY-L6LK2MPNYELG","paidAt":1795833529151,"effect":{"tries":1,"at":1795833620687,"state":"done"}}');
INSERT INTO malipo_checkout_orders VALUES ('effect-due', 5, 'ZRQ48S20HX6R', 'paid', 0, 1795833529152, 1795833531715, 1795833530715, '{"id":"effect-due","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZRQ48S20HX6R","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 673","phoneDigest":"e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9","askedAt":1795833529152,"reference":"PAY-8TCL5JXY5D8F"}],"money":[{"reference":"PAY-8TCL5JXY5D8F","amount":"100.00","currency":"KES","alias":"payment_id:71"}],"reviews":[],"createdAt":1795833529152,"updatedAt":1795833530715,"log":[{"at":1795833529152,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 673."},{"at":1795833529154,"text":"The service took the prompt of attempt 1: PAY-8TCL5JXY5D8F."},{"at":1795833529157,"text":"A webhook says: the payment PAY-8TCL5JXY5D8F of KES 100.00 is completed."},{"at":1795833529157,"text":"The order is paid."},{"at":1795833530715,"text":"onPaid failed. It is tried again."}],"paidBy":"PAY-8TCL5JXY5D8F","paidAt":1795833529157,"effect":{"tries":1,"at":1795833531715,"state":"due"}}');
INSERT INTO malipo_checkout_orders VALUES ('failed', 3, 'ZBMMAJ3T4K2M', 'open', 0, 1795833529158, 1795833589163, 1795833529163, '{"id":"failed","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZBMMAJ3T4K2M","attemptLimit":3,"attempts":[{"number":1,"status":"failed","phone":"0712 *** 674","phoneDigest":"e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1","askedAt":1795833529158,"lookAt":1795833589163,"reference":"PAY-EQ8SRDR2Q7D6","message":"The payment did not go through.","retry":"unknown","endedAt":1795833529163}],"money":[],"reviews":[],"createdAt":1795833529158,"updatedAt":1795833529163,"log":[{"at":1795833529158,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 674."},{"at":1795833529160,"text":"The service took the prompt of attempt 1: PAY-EQ8SRDR2Q7D6."},{"at":1795833529163,"text":"A webhook says: the payment PAY-EQ8SRDR2Q7D6 of KES 100.00 is failed."},{"at":1795833529163,"text":"Attempt 1 ended without money (failed): The payment did not go through."}]}');
INSERT INTO malipo_checkout_orders VALUES ('canceled', 2, 'ZY4QXWT2B5VA', 'canceled', 0, 1795833530987, NULL, 1795833530988, '{"id":"canceled","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZY4QXWT2B5VA","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795833530987,"updatedAt":1795833530988,"closed":"canceled","log":[{"at":1795833530988,"text":"The order was canceled."}]}');
INSERT INTO malipo_checkout_orders VALUES ('review', 2, 'ZS5XCWK4FXWP', 'open', 1, 1795833531043, NULL, 1795833531061, '{"id":"review","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZS5XCWK4FXWP","attemptLimit":3,"attempts":[],"money":[{"reference":"PAY-R","amount":"90.00","currency":"KES","alias":"payment_id:901"}],"reviews":[{"id":"review:amount_mismatch:PAY-R","kind":"amount_mismatch","at":1795833531061,"references":["PAY-R"]}],"createdAt":1795833531043,"updatedAt":1795833531061,"log":[{"at":1795833531061,"text":"A webhook says: the payment PAY-R of KES 90.00 is completed."},{"at":1795833531061,"text":"Review: The payment has another amount than the order."}]}');
CREATE TABLE malipo_checkout_payments (
      reference TEXT PRIMARY KEY, order_id TEXT, report TEXT, review TEXT,
      at INTEGER NOT NULL) STRICT;
INSERT INTO malipo_checkout_payments VALUES ('PAY-4SNUEVRT5QYA', 'pending', NULL, NULL, 1795833529133);
INSERT INTO malipo_checkout_payments VALUES ('PAY-L6LK2MPNYELG', 'paid', NULL, NULL, 1795833529140);
INSERT INTO malipo_checkout_payments VALUES ('payment_id:29', 'paid', NULL, NULL, 1795833529151);
INSERT INTO malipo_checkout_payments VALUES ('PAY-8TCL5JXY5D8F', 'effect-due', NULL, NULL, 1795833529154);
INSERT INTO malipo_checkout_payments VALUES ('payment_id:71', 'effect-due', NULL, NULL, 1795833529157);
INSERT INTO malipo_checkout_payments VALUES ('PAY-EQ8SRDR2Q7D6', 'failed', NULL, NULL, 1795833529160);
INSERT INTO malipo_checkout_payments VALUES ('PAY-R', 'review', NULL, NULL, 1795833531061);
INSERT INTO malipo_checkout_payments VALUES ('payment_id:901', 'review', NULL, NULL, 1795833531061);
INSERT INTO malipo_checkout_payments VALUES ('PAY-STRANGER', NULL, '{"reference":"PAY-STRANGER","alias":"payment_id:902","status":"completed","amount":"90.00","currency":"KES","retry":"unknown"}', 'open', 1795833531136);
CREATE TABLE malipo_checkout_prompts (
      order_id TEXT NOT NULL, number INTEGER NOT NULL, phone TEXT NOT NULL,
      at INTEGER NOT NULL, is_open INTEGER NOT NULL, PRIMARY KEY (order_id, number)) STRICT;
INSERT INTO malipo_checkout_prompts VALUES ('pending', 1, 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', 1795833529108, 1);
INSERT INTO malipo_checkout_prompts VALUES ('paid', 1, 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', 1795833529136, 2);
INSERT INTO malipo_checkout_prompts VALUES ('effect-due', 1, 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', 1795833529152, 2);
INSERT INTO malipo_checkout_prompts VALUES ('failed', 1, 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', 1795833529158, 0);
CREATE TABLE malipo_checkout_decisions (id INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT;
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
CREATE INDEX malipo_inbox_other ON malipo_inbox (kind, due_at, token, attempts, received_at) WHERE state = 'pending' AND queue = 'other';
CREATE INDEX malipo_checkout_orders_due ON malipo_checkout_orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX malipo_checkout_orders_paid ON malipo_checkout_orders (status, due_at) WHERE due_at IS NOT NULL AND status = 'paid';
CREATE INDEX malipo_checkout_orders_due_by_age ON malipo_checkout_orders (status, created_at, id) WHERE due_at > 0;
CREATE INDEX malipo_checkout_orders_planned ON malipo_checkout_orders (planned_at) WHERE due_at IS NOT NULL;
CREATE INDEX malipo_checkout_orders_created ON malipo_checkout_orders (created_at, id);
CREATE INDEX malipo_checkout_orders_status ON malipo_checkout_orders (status, created_at, id);
CREATE INDEX malipo_checkout_orders_review_by_age ON malipo_checkout_orders (created_at, id) WHERE has_review > 0;
CREATE INDEX malipo_checkout_payments_review ON malipo_checkout_payments (at, reference) WHERE review = 'open';
CREATE INDEX malipo_checkout_payments_stray ON malipo_checkout_payments (at) WHERE order_id IS NULL AND review IS NULL;
CREATE INDEX malipo_checkout_prompts_phone ON malipo_checkout_prompts (phone, at);
