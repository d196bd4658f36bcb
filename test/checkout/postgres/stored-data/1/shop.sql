CREATE SCHEMA IF NOT EXISTS stored_shop;
CREATE TABLE IF NOT EXISTS stored_shop.orders (
      id TEXT PRIMARY KEY, version bigint NOT NULL, label TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL, has_review bigint NOT NULL, created_at bigint NOT NULL,
      due_at bigint, planned_at bigint NOT NULL, state TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS orders_due ON stored_shop.orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_paid ON stored_shop.orders (status, due_at) WHERE due_at IS NOT NULL AND status = 'paid';
CREATE INDEX IF NOT EXISTS orders_due_by_age ON stored_shop.orders (status, created_at, id) WHERE due_at > 0;
CREATE INDEX IF NOT EXISTS orders_planned ON stored_shop.orders (planned_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_created ON stored_shop.orders (created_at, id);
CREATE INDEX IF NOT EXISTS orders_status ON stored_shop.orders (status, created_at, id);
CREATE INDEX IF NOT EXISTS orders_review_by_age ON stored_shop.orders (created_at, id) WHERE has_review > 0;
CREATE TABLE IF NOT EXISTS stored_shop.payments (
      reference TEXT PRIMARY KEY, order_id TEXT, report TEXT, review TEXT,
      at bigint NOT NULL);
CREATE INDEX IF NOT EXISTS payments_review ON stored_shop.payments (at, reference) WHERE review = 'open';
CREATE INDEX IF NOT EXISTS payments_stray ON stored_shop.payments (at) WHERE order_id IS NULL AND review IS NULL;
CREATE TABLE IF NOT EXISTS stored_shop.prompts (
      order_id TEXT NOT NULL, number bigint NOT NULL, phone TEXT NOT NULL,
      at bigint NOT NULL, is_open bigint NOT NULL, PRIMARY KEY (order_id, number));
CREATE INDEX IF NOT EXISTS prompts_phone ON stored_shop.prompts (phone, at);
CREATE TABLE IF NOT EXISTS stored_shop.decisions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS stored_shop.meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO stored_shop.meta VALUES ('format', '1') ON CONFLICT DO NOTHING;

    SELECT pg_advisory_xact_lock(hashtext('malipo'));
    DO $$ BEGIN IF to_regclass('stored_shop.idempotency') IS NULL THEN
    CREATE TABLE stored_shop.idempotency (
      key text COLLATE "C" PRIMARY KEY,
      version integer NOT NULL,
      state text NOT NULL,
      owner text NOT NULL,
      endpoint text NOT NULL,
      idempotency_key text NOT NULL,
      base_url text NOT NULL,
      scope text NOT NULL,
      begun_at timestamptz NOT NULL,
      lease_from timestamptz NOT NULL,
      lease_ms bigint NOT NULL,
      parameters text NOT NULL,
      account_reference text,
      amount text,
      phone text,
      result text,
      keep_until timestamptz
    );
    COMMENT ON TABLE stored_shop.idempotency IS 'Idempotency keys of malipo, format 3';
    CREATE INDEX idempotency_begun_at ON stored_shop.idempotency (begun_at, key);
    CREATE INDEX idempotency_open ON stored_shop.idempotency (begun_at, key)
      WHERE state <> 'succeeded';
    CREATE INDEX idempotency_reference
      ON stored_shop.idempotency (account_reference, begun_at, key) WHERE account_reference IS NOT NULL;
    END IF; END $$
  ;;
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate pending/1', 2, 'succeeded', '056a45ac-74ad-44d6-941f-1ba5e9072dbf', 'POST /mobile-money/payment/initiate', 'pending/1', 'https://sandbox.malipo.test/api/v1', '', '2026-11-28T02:38:56.617Z', '2026-11-28T02:38:56.617Z', '25000', 'e4f2ae0e:28ef3d3e9e40273d4c3d4e610a4954a32948e66d9181d0884c49735b6a680174', 'e4f2ae0e:9b69381a0820077869c4fc0db38ae855aa4dfaaa781f7197d73b9a75acd16b55', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-4SNUEVRT5QYA\",\"checkout_request_id\":\"ws_CO_72870267760051184456\"}}"}', '2026-12-28T02:38:56.621Z');
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate paid/1', 2, 'succeeded', '019a048d-b249-4bb0-bc55-19bd430a225d', 'POST /mobile-money/payment/initiate', 'paid/1', 'https://sandbox.malipo.test/api/v1', '', '2026-11-28T02:38:56.654Z', '2026-11-28T02:38:56.654Z', '25000', 'e4f2ae0e:a39f3ff40017fe61a297846666f56e362d06996461ad43d043d6c29717a40721', 'e4f2ae0e:027dcd2df333e8af6f79f5c9334192ec3bc6a7b1067d5b2ad1af18e00d2bf93d', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-L6LK2MPNYELG\",\"checkout_request_id\":\"ws_CO_11244691377254309807\"}}"}', '2026-12-28T02:38:56.660Z');
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate effect-due/1', 2, 'succeeded', '0d6ad812-36e9-450c-a8b9-d1f4348fc981', 'POST /mobile-money/payment/initiate', 'effect-due/1', 'https://sandbox.malipo.test/api/v1', '', '2026-11-28T02:38:56.706Z', '2026-11-28T02:38:56.706Z', '25000', 'e4f2ae0e:abf0ff9db9a16b5b0527062ca000bec97aa600597e94c795c900e7c48e0acc74', 'e4f2ae0e:44e4b7d4840186a2846df96ab548fe37177d3943b5a162a36dbb0ac6c4f86f61', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-8TCL5JXY5D8F\",\"checkout_request_id\":\"ws_CO_94090354214034933722\"}}"}', '2026-12-28T02:38:56.751Z');
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate failed/1', 2, 'succeeded', '9e895e03-030e-4a86-baba-b8300f667949', 'POST /mobile-money/payment/initiate', 'failed/1', 'https://sandbox.malipo.test/api/v1', '', '2026-11-28T02:38:56.830Z', '2026-11-28T02:38:56.830Z', '25000', 'e4f2ae0e:dfaf6c59ae03da592a24150eb9a5eb0d4c079072f2e50de7161b5c76c509f45b', 'e4f2ae0e:2253451f9f8ba53c66ab489dc5467dce5d65ed3c6e63fb3f0d39570cfc02d3b9', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-EQ8SRDR2Q7D6\",\"checkout_request_id\":\"ws_CO_37091285756001365823\"}}"}', '2026-12-28T02:38:56.850Z');
INSERT INTO stored_shop.orders VALUES ('open', '1', 'Z4D4FK63M889', 'open', '0', '1795833536556', NULL, '1795833536556', '{"id":"open","amount":"100.00","currency":"KES","metadata":{"item":"a"},"description":"Item","accountReference":"Z4D4FK63M889","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795833536556,"updatedAt":1795833536556}');
INSERT INTO stored_shop.orders VALUES ('pending', '2', 'ZCAHFXMYPW26', 'pending', '0', '1795833536605', '1795833541616', '1795833536616', '{"id":"pending","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZCAHFXMYPW26","attemptLimit":3,"attempts":[{"number":1,"status":"pending","phone":"0712 *** 671","phoneDigest":"e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51","askedAt":1795833536605,"lookAt":1795833541616,"reference":"PAY-4SNUEVRT5QYA"}],"money":[],"reviews":[],"createdAt":1795833536605,"updatedAt":1795833536616,"log":[{"at":1795833536605,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 671."},{"at":1795833536616,"text":"The service took the prompt of attempt 1: PAY-4SNUEVRT5QYA."}]}');
INSERT INTO stored_shop.orders VALUES ('failed', '3', 'ZBMMAJ3T4K2M', 'open', '0', '1795833536824', '1795833596891', '1795833536891', '{"id":"failed","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZBMMAJ3T4K2M","attemptLimit":3,"attempts":[{"number":1,"status":"failed","phone":"0712 *** 674","phoneDigest":"e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1","askedAt":1795833536824,"lookAt":1795833596891,"reference":"PAY-EQ8SRDR2Q7D6","message":"The payment did not go through.","retry":"unknown","endedAt":1795833536891}],"money":[],"reviews":[],"createdAt":1795833536824,"updatedAt":1795833536891,"log":[{"at":1795833536824,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 674."},{"at":1795833536858,"text":"The service took the prompt of attempt 1: PAY-EQ8SRDR2Q7D6."},{"at":1795833536891,"text":"A webhook says: the payment PAY-EQ8SRDR2Q7D6 of KES 100.00 is failed."},{"at":1795833536891,"text":"Attempt 1 ended without money (failed): The payment did not go through."}]}');
INSERT INTO stored_shop.orders VALUES ('paid', '5', 'Z4T5DE3NNQH3', 'paid', '0', '1795833536644', NULL, '1795833538594', '{"id":"paid","amount":"100.00","currency":"KES","metadata":{},"accountReference":"Z4T5DE3NNQH3","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 672","phoneDigest":"e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784","askedAt":1795833536644,"reference":"PAY-L6LK2MPNYELG"}],"money":[{"reference":"PAY-L6LK2MPNYELG","amount":"100.00","currency":"KES","alias":"payment_id:29"}],"reviews":[],"createdAt":1795833536644,"updatedAt":1795833538594,"log":[{"at":1795833536644,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 672."},{"at":1795833536658,"text":"The service took the prompt of attempt 1: PAY-L6LK2MPNYELG."},{"at":1795833536675,"text":"A webhook says: the payment PAY-L6LK2MPNYELG of KES 100.00 is completed."},{"at":1795833536675,"text":"The order is paid."},{"at":1795833538594,"text":"The goods were given: onPaid has committed."}],"paidBy":"PAY-L6LK2MPNYELG","paidAt":1795833536675,"effect":{"tries":1,"at":1795833628552,"state":"done"}}');
INSERT INTO stored_shop.orders VALUES ('effect-due', '5', 'ZRQ48S20HX6R', 'paid', '0', '1795833536688', '1795833539575', '1795833538575', '{"id":"effect-due","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZRQ48S20HX6R","attemptLimit":3,"attempts":[{"number":1,"status":"completed","phone":"0712 *** 673","phoneDigest":"e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9","askedAt":1795833536688,"reference":"PAY-8TCL5JXY5D8F"}],"money":[{"reference":"PAY-8TCL5JXY5D8F","amount":"100.00","currency":"KES","alias":"payment_id:71"}],"reviews":[],"createdAt":1795833536688,"updatedAt":1795833538575,"log":[{"at":1795833536688,"text":"The customer clicked \"pay\": attempt 1, phone 0712 *** 673."},{"at":1795833536743,"text":"The service took the prompt of attempt 1: PAY-8TCL5JXY5D8F."},{"at":1795833536802,"text":"A webhook says: the payment PAY-8TCL5JXY5D8F of KES 100.00 is completed."},{"at":1795833536802,"text":"The order is paid."},{"at":1795833538575,"text":"onPaid failed. It is tried again."}],"paidBy":"PAY-8TCL5JXY5D8F","paidAt":1795833536802,"effect":{"tries":1,"at":1795833539575,"state":"due"}}');
INSERT INTO stored_shop.orders VALUES ('canceled', '2', 'ZY4QXWT2B5VA', 'canceled', '0', '1795833538603', NULL, '1795833538607', '{"id":"canceled","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZY4QXWT2B5VA","attemptLimit":3,"attempts":[],"money":[],"reviews":[],"createdAt":1795833538603,"updatedAt":1795833538607,"closed":"canceled","log":[{"at":1795833538607,"text":"The order was canceled."}]}');
INSERT INTO stored_shop.orders VALUES ('review', '2', 'ZS5XCWK4FXWP', 'open', '1', '1795833538611', NULL, '1795833538619', '{"id":"review","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZS5XCWK4FXWP","attemptLimit":3,"attempts":[],"money":[{"reference":"PAY-R","amount":"90.00","currency":"KES","alias":"payment_id:901"}],"reviews":[{"id":"review:amount_mismatch:PAY-R","kind":"amount_mismatch","at":1795833538619,"references":["PAY-R"]}],"createdAt":1795833538611,"updatedAt":1795833538619,"log":[{"at":1795833538619,"text":"A webhook says: the payment PAY-R of KES 90.00 is completed."},{"at":1795833538619,"text":"Review: The payment has another amount than the order."}]}');
INSERT INTO stored_shop.payments VALUES ('PAY-4SNUEVRT5QYA', 'pending', NULL, NULL, '1795833536616');
INSERT INTO stored_shop.payments VALUES ('PAY-L6LK2MPNYELG', 'paid', NULL, NULL, '1795833536658');
INSERT INTO stored_shop.payments VALUES ('payment_id:29', 'paid', NULL, NULL, '1795833536675');
INSERT INTO stored_shop.payments VALUES ('PAY-8TCL5JXY5D8F', 'effect-due', NULL, NULL, '1795833536743');
INSERT INTO stored_shop.payments VALUES ('payment_id:71', 'effect-due', NULL, NULL, '1795833536802');
INSERT INTO stored_shop.payments VALUES ('PAY-EQ8SRDR2Q7D6', 'failed', NULL, NULL, '1795833536858');
INSERT INTO stored_shop.payments VALUES ('PAY-R', 'review', NULL, NULL, '1795833538619');
INSERT INTO stored_shop.payments VALUES ('payment_id:901', 'review', NULL, NULL, '1795833538619');
INSERT INTO stored_shop.payments VALUES ('PAY-STRANGER', NULL, '{"reference":"PAY-STRANGER","alias":"payment_id:902","status":"completed","amount":"90.00","currency":"KES","retry":"unknown"}', 'open', '1795833538627');
INSERT INTO stored_shop.prompts VALUES ('pending', '1', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '1795833536605', '1');
INSERT INTO stored_shop.prompts VALUES ('paid', '1', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '1795833536644', '2');
INSERT INTO stored_shop.prompts VALUES ('effect-due', '1', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '1795833536688', '2');
INSERT INTO stored_shop.prompts VALUES ('failed', '1', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '1795833536824', '0');
