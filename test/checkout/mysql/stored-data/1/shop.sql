CREATE TABLE IF NOT EXISTS malipo_locks (id smallint PRIMARY KEY) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
INSERT INTO malipo_locks (id) VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63)
    ON DUPLICATE KEY UPDATE malipo_locks.id = malipo_locks.id;
CREATE TABLE IF NOT EXISTS malipo_idempotency (
    `key` varchar(700) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY,
    version bigint NOT NULL,
    state varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    endpoint longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    idempotency_key longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    base_url longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    scope varchar(700) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    begun_at bigint NOT NULL,
    lease_from bigint NOT NULL,
    lease_ms bigint NOT NULL,
    parameters longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    account_reference varchar(100) CHARACTER SET ascii COLLATE ascii_bin,
    amount longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    phone longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    result longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    keep_until bigint
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE INDEX /*M! IF NOT EXISTS */ malipo_idempotency_begun_at ON malipo_idempotency (begun_at, `key`);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_idempotency_state ON malipo_idempotency (state, begun_at, `key`);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_idempotency_account_reference ON malipo_idempotency (account_reference, begun_at, `key`);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_idempotency_keep_until ON malipo_idempotency (keep_until);
CREATE TABLE IF NOT EXISTS malipo_idempotency_meta (name varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY, value longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
INSERT INTO malipo_idempotency_meta (name, value) SELECT 'format', '3'
      WHERE NOT EXISTS (SELECT 1 FROM malipo_idempotency_meta WHERE name = 'format');
CREATE TABLE IF NOT EXISTS malipo_inbox (
    id bigint AUTO_INCREMENT PRIMARY KEY,
    queue varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    due_at bigint NOT NULL,
    token bigint,
    `key` varbinary(32) NOT NULL UNIQUE,
    digest varbinary(32) NOT NULL,
    kind varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    raw longblob NOT NULL,
    secret_index bigint NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    trace_context longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    source longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    forget_at bigint,
    state varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts bigint NOT NULL DEFAULT 0,
    error longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS malipo_inbox_conflicts (
    `key` varbinary(32) NOT NULL,
    digest varbinary(32) NOT NULL,
    kind varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    raw longblob NOT NULL,
    secret_index bigint NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    trace_context longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    source longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    forget_at bigint,
    state varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY (`key`, digest)
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS malipo_inbox_double_payments (
    id varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY,
    `by` longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    value longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    reference_1 longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    reference_2 longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
    merchant longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
    received_at bigint NOT NULL,
    state varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('open', 'decided'))
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_due ON malipo_inbox (state, queue, due_at, token, attempts, received_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_dead ON malipo_inbox (state, received_at, `key`);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_forget ON malipo_inbox (forget_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_conflicts_open ON malipo_inbox_conflicts (state, received_at, `key`, digest);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_conflicts_decided ON malipo_inbox_conflicts (forget_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_inbox_other ON malipo_inbox (state, queue, kind, due_at, token, attempts, received_at);
CREATE TABLE IF NOT EXISTS malipo_inbox_meta (name varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY, value longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
INSERT INTO malipo_inbox_meta (name, value) SELECT 'format', '1'
      WHERE NOT EXISTS (SELECT 1 FROM malipo_inbox_meta WHERE name = 'format');
CREATE TABLE IF NOT EXISTS malipo_checkout_orders (
      id varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY, version bigint NOT NULL, label varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL UNIQUE,
      status varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL, has_review bigint NOT NULL, created_at bigint NOT NULL,
      due_at bigint, planned_at bigint NOT NULL, state longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_due ON malipo_checkout_orders (due_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_paid ON malipo_checkout_orders (status, due_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_due_by_age ON malipo_checkout_orders (status, created_at, id);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_planned ON malipo_checkout_orders (planned_at);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_created ON malipo_checkout_orders (created_at, id);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_status ON malipo_checkout_orders (status, created_at, id);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_orders_review_by_age ON malipo_checkout_orders (created_at, id);
CREATE TABLE IF NOT EXISTS malipo_checkout_payments (
      reference varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY, order_id varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */, report longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */, review varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */,
      at bigint NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_payments_review ON malipo_checkout_payments (review, at, reference);
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_payments_stray ON malipo_checkout_payments (order_id, review, at);
CREATE TABLE IF NOT EXISTS malipo_checkout_prompts (
      order_id varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL, number bigint NOT NULL, phone varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL,
      at bigint NOT NULL, is_open bigint NOT NULL, PRIMARY KEY (order_id, number)) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE INDEX /*M! IF NOT EXISTS */ malipo_checkout_prompts_phone ON malipo_checkout_prompts (phone, at);
CREATE TABLE IF NOT EXISTS malipo_checkout_decisions (id bigint AUTO_INCREMENT PRIMARY KEY, line longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS malipo_checkout_meta (name varchar(255) CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ PRIMARY KEY, value longtext CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */ NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
INSERT INTO malipo_checkout_meta (name, value) SELECT 'format', '1'
      WHERE NOT EXISTS (SELECT 1 FROM malipo_checkout_meta WHERE name = 'format');
INSERT INTO malipo_checkout_orders VALUES ('canceled', 2, 'ZY4QXWT2B5VA', 'canceled', 0, 1795880862599, NULL, 1795880862645, '{"id":"canceled","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZY4QXWT2B5VA","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795880862599,"updatedAt":1795880862645,"closed":"canceled","log":[{"at":1795880862645,"text":"The order was canceled."}]}');
INSERT INTO malipo_checkout_orders VALUES ('effect-due', 5, 'ZRQ48S20HX6R', 'paid', 0, 1795880862051, 1795880863761, 1795880862761, '{"id":"effect-due","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZRQ48S20HX6R","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 673","phoneDigest":"e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9","askedAt":1795880862051,"reference":"PAY-HNF8085XJEE5"}],"money":[{"reference":"PAY-HNF8085XJEE5","amount":"100.00","currency":"KES","alias":"payment_id:29"}],"reviews":[],"createdAt":1795880862051,"updatedAt":1795880862761,"log":[{"at":1795880862051,"text":"The customer clicked \\"pay\\": attempt 1, phone 0712 *** 673."},{"at":1795880862118,"text":"The service took the prompt of attempt 1: PAY-HNF8085XJEE5."},{"at":1795880862405,"text":"A webhook says: the payment PAY-HNF8085XJEE5 of KES 100.00 is completed."},{"at":1795880862405,"text":"The order is paid."},{"at":1795880862761,"text":"onPaid failed. It is tried again."}],"paidBy":"PAY-HNF8085XJEE5","paidAt":1795880862405,"effect":{"tries":1,"at":1795880863761,"state":"due"}}');
INSERT INTO malipo_checkout_orders VALUES ('failed', 3, 'ZBMMAJ3T4K2M', 'open', 0, 1795880862431, 1795880922549, 1795880862549, '{"id":"failed","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZBMMAJ3T4K2M","attemptLimit":3,"attempts":[{"number":1,"status":"failed","phone":"0712 *** 674","phoneDigest":"e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1","askedAt":1795880862431,"lookAt":1795880922549,"reference":"PAY-3AGLHZX0NEQC","message":"The payment did not go through.","retry":"unknown","endedAt":1795880862549}],"money":[],"reviews":[],"createdAt":1795880862431,"updatedAt":1795880862549,"log":[{"at":1795880862431,"text":"The customer clicked \\"pay\\": attempt 1, phone 0712 *** 674."},{"at":1795880862455,"text":"The service took the prompt of attempt 1: PAY-3AGLHZX0NEQC."},{"at":1795880862549,"text":"A webhook says: the payment PAY-3AGLHZX0NEQC of KES 100.00 is failed."},{"at":1795880862549,"text":"Attempt 1 ended without money (failed): The payment did not go through."}]}');
INSERT INTO malipo_checkout_orders VALUES ('open', 1, 'Z4D4FK63M889', 'open', 0, 1795880861697, NULL, 1795880861697, '{"id":"open","amount":"100.00","currency":"KES","metadata":{"item":"a"},"description":"Item","accountReference":"Z4D4FK63M889","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795880861697,"updatedAt":1795880861697}');
INSERT INTO malipo_checkout_orders VALUES ('paid', 5, 'Z4T5DE3NNQH3', 'paid', 0, 1795880861852, NULL, 1795880862765, '{"id":"paid","amount":"100.00","currency":"KES","metadata":{},"accountReference":"Z4T5DE3NNQH3","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 672","phoneDigest":"e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784","askedAt":1795880861852,"reference":"PAY-65JNAY7LZK08"}],"money":[{"reference":"PAY-65JNAY7LZK08","amount":"100.00","currency":"KES","alias":"payment_id:29"}],"reviews":[],"createdAt":1795880861852,"updatedAt":1795880862765,"log":[{"at":1795880861852,"text":"The customer clicked \\"pay\\": attempt 1, phone 0712 *** 672."},{"at":1795880861865,"text":"The service took the prompt of attempt 1: PAY-65JNAY7LZK08."},{"at":1795880861948,"text":"A webhook says: the payment PAY-65JNAY7LZK08 of KES 100.00 is completed."},{"at":1795880861948,"text":"The order is paid."},{"at":1795880862765,"text":"The goods were given: onPaid has committed."}],"paidBy":"PAY-65JNAY7LZK08","paidAt":1795880861948,"effect":{"tries":1,"at":1795880952753,"state":"done"}}');
INSERT INTO malipo_checkout_orders VALUES ('pending', 2, 'ZCAHFXMYPW26', 'pending', 0, 1795880861715, 1795880866811, 1795880861811, '{"id":"pending","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZCAHFXMYPW26","attemptLimit":3,"attempts":[{"number":1,"status":"pending","phone":"0712 *** 671","phoneDigest":"e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51","askedAt":1795880861715,"lookAt":1795880866811,"reference":"PAY-6R4125L2Q9QL"}],"money":[],"reviews":[],"createdAt":1795880861715,"updatedAt":1795880861811,"log":[{"at":1795880861715,"text":"The customer clicked \\"pay\\": attempt 1, phone 0712 *** 671."},{"at":1795880861811,"text":"The service took the prompt of attempt 1: PAY-6R4125L2Q9QL."}]}');
INSERT INTO malipo_checkout_orders VALUES ('review', 2, 'ZS5XCWK4FXWP', 'open', 1, 1795880862657, NULL, 1795880862827, '{"id":"review","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZS5XCWK4FXWP","attemptLimit":3,"attempts":[],"money":[{"reference":"PAY-R","amount":"90.00","currency":"KES","alias":"payment_id:901"}],"reviews":[{"id":"review:amount_mismatch:PAY-R","kind":"amount_mismatch","at":1795880862827,"references":["PAY-R"]}],"createdAt":1795880862657,"updatedAt":1795880862827,"log":[{"at":1795880862827,"text":"A webhook says: the payment PAY-R of KES 90.00 is completed."},{"at":1795880862827,"text":"Review: The payment has another amount than the order."}]}');
INSERT INTO malipo_checkout_payments VALUES ('PAY-3AGLHZX0NEQC', 'failed', NULL, NULL, 1795880862455);
INSERT INTO malipo_checkout_payments VALUES ('PAY-65JNAY7LZK08', 'paid', NULL, NULL, 1795880861865);
INSERT INTO malipo_checkout_payments VALUES ('PAY-6R4125L2Q9QL', 'pending', NULL, NULL, 1795880861811);
INSERT INTO malipo_checkout_payments VALUES ('PAY-HNF8085XJEE5', 'effect-due', NULL, NULL, 1795880862118);
INSERT INTO malipo_checkout_payments VALUES ('PAY-R', 'review', NULL, NULL, 1795880862827);
INSERT INTO malipo_checkout_payments VALUES ('PAY-STRANGER', NULL, '{"reference":"PAY-STRANGER","alias":"payment_id:902","status":"completed","amount":"90.00","currency":"KES","retry":"unknown"}', 'open', 1795880862838);
INSERT INTO malipo_checkout_payments VALUES ('payment_id:29', 'paid', NULL, NULL, 1795880861948);
INSERT INTO malipo_checkout_payments VALUES ('payment_id:901', 'review', NULL, NULL, 1795880862827);
INSERT INTO malipo_checkout_prompts VALUES ('effect-due', 1, 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', 1795880862051, 2);
INSERT INTO malipo_checkout_prompts VALUES ('failed', 1, 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', 1795880862431, 0);
INSERT INTO malipo_checkout_prompts VALUES ('paid', 1, 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', 1795880861852, 2);
INSERT INTO malipo_checkout_prompts VALUES ('pending', 1, 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', 1795880861715, 1);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate effect-due/1', 2, 'succeeded', '547ef6b6-bb2d-44fe-a24a-caa37de21a75', 'POST /mobile-money/payment/initiate', 'effect-due/1', 'https://sandbox.malipo.test/api/v1', '', 1795880862112, 1795880862112, 25000, 'e4f2ae0e:abf0ff9db9a16b5b0527062ca000bec97aa600597e94c795c900e7c48e0acc74', 'e4f2ae0e:44e4b7d4840186a2846df96ab548fe37177d3943b5a162a36dbb0ac6c4f86f61', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '{"status":200,"text":"{\\"success\\":true,\\"data\\":{\\"reference\\":\\"PAY-HNF8085XJEE5\\",\\"checkout_request_id\\":\\"ws_CO_99822496005267116524\\"}}"}', 1798472862162);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate failed/1', 2, 'succeeded', 'ba71c2cd-2b91-4f9a-85a7-f5005d449763', 'POST /mobile-money/payment/initiate', 'failed/1', 'https://sandbox.malipo.test/api/v1', '', 1795880862479, 1795880862479, 25000, 'e4f2ae0e:dfaf6c59ae03da592a24150eb9a5eb0d4c079072f2e50de7161b5c76c509f45b', 'e4f2ae0e:2253451f9f8ba53c66ab489dc5467dce5d65ed3c6e63fb3f0d39570cfc02d3b9', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '{"status":200,"text":"{\\"success\\":true,\\"data\\":{\\"reference\\":\\"PAY-3AGLHZX0NEQC\\",\\"checkout_request_id\\":\\"ws_CO_23638450534916825587\\"}}"}', 1798472862486);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate paid/1', 2, 'succeeded', '5d296cf9-08d9-4ed2-9376-8cde0951b3c2', 'POST /mobile-money/payment/initiate', 'paid/1', 'https://sandbox.malipo.test/api/v1', '', 1795880861896, 1795880861896, 25000, 'e4f2ae0e:a39f3ff40017fe61a297846666f56e362d06996461ad43d043d6c29717a40721', 'e4f2ae0e:027dcd2df333e8af6f79f5c9334192ec3bc6a7b1067d5b2ad1af18e00d2bf93d', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '{"status":200,"text":"{\\"success\\":true,\\"data\\":{\\"reference\\":\\"PAY-65JNAY7LZK08\\",\\"checkout_request_id\\":\\"ws_CO_49106216709376010120\\"}}"}', 1798472861902);
INSERT INTO malipo_idempotency VALUES ('POST /mobile-money/payment/initiate pending/1', 2, 'succeeded', '931e3c11-d819-4b3e-9d03-60b7303d9180', 'POST /mobile-money/payment/initiate', 'pending/1', 'https://sandbox.malipo.test/api/v1', '', 1795880861776, 1795880861776, 25000, 'e4f2ae0e:28ef3d3e9e40273d4c3d4e610a4954a32948e66d9181d0884c49735b6a680174', 'e4f2ae0e:9b69381a0820077869c4fc0db38ae855aa4dfaaa781f7197d73b9a75acd16b55', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '{"status":200,"text":"{\\"success\\":true,\\"data\\":{\\"reference\\":\\"PAY-6R4125L2Q9QL\\",\\"checkout_request_id\\":\\"ws_CO_44203011489782008480\\"}}"}', 1798472861827);
