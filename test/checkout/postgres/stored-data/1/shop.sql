CREATE SCHEMA IF NOT EXISTS stored_shop;
CREATE TABLE stored_shop.orders (
      id TEXT PRIMARY KEY, version bigint NOT NULL, label TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL, has_review bigint NOT NULL, created_at bigint NOT NULL,
      due_at bigint, planned_at bigint NOT NULL, state TEXT NOT NULL);
CREATE INDEX orders_due ON stored_shop.orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_goods ON stored_shop.orders (due_at) WHERE due_at IS NOT NULL AND status = 'paid';
CREATE INDEX orders_planned ON stored_shop.orders (planned_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_created ON stored_shop.orders (created_at, id);
CREATE INDEX orders_status ON stored_shop.orders (status, created_at, id);
CREATE INDEX orders_review ON stored_shop.orders (created_at, id) WHERE has_review = 1;
CREATE TABLE stored_shop.payments (
      reference TEXT PRIMARY KEY, order_id TEXT, report TEXT, review TEXT,
      at bigint NOT NULL);
CREATE INDEX payments_review ON stored_shop.payments (at, reference) WHERE review = 'open';
CREATE INDEX payments_stray ON stored_shop.payments (at) WHERE order_id IS NULL AND review IS NULL;
CREATE TABLE stored_shop.prompts (
      order_id TEXT NOT NULL, number bigint NOT NULL, phone TEXT NOT NULL,
      at bigint NOT NULL, is_open bigint NOT NULL, PRIMARY KEY (order_id, number));
CREATE INDEX prompts_phone ON stored_shop.prompts (phone, at);
CREATE TABLE stored_shop.meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO stored_shop.meta VALUES ('format', '1');

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
  ;
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate pending/1', 2, 'succeeded', '0276d36c-533c-4142-8f04-9c3f10cd591a', 'POST /mobile-money/payment/initiate', 'pending/1', 'https://sandbox.malipo.test/api/v1', '', to_timestamp(1795481361.983), to_timestamp(1795481361.983), 25000, 'e4f2ae0e:28ef3d3e9e40273d4c3d4e610a4954a32948e66d9181d0884c49735b6a680174', 'e4f2ae0e:9b69381a0820077869c4fc0db38ae855aa4dfaaa781f7197d73b9a75acd16b55', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-6R4125L2Q9QL\",\"checkout_request_id\":\"ws_CO_44203011489782008480\"}}"}', to_timestamp(1798073362.005));
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate paid/1', 2, 'succeeded', '40a7c27f-fcac-46a8-a56e-9530e24f5ed2', 'POST /mobile-money/payment/initiate', 'paid/1', 'https://sandbox.malipo.test/api/v1', '', to_timestamp(1795481362.022), to_timestamp(1795481362.022), 25000, 'e4f2ae0e:a39f3ff40017fe61a297846666f56e362d06996461ad43d043d6c29717a40721', 'e4f2ae0e:027dcd2df333e8af6f79f5c9334192ec3bc6a7b1067d5b2ad1af18e00d2bf93d', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-65JNAY7LZK08\",\"checkout_request_id\":\"ws_CO_49106216709376010120\"}}"}', to_timestamp(1798073362.025));
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate effect-due/1', 2, 'succeeded', 'ce082ecf-b214-41de-b3a2-115241259a44', 'POST /mobile-money/payment/initiate', 'effect-due/1', 'https://sandbox.malipo.test/api/v1', '', to_timestamp(1795481362.043), to_timestamp(1795481362.043), 25000, 'e4f2ae0e:abf0ff9db9a16b5b0527062ca000bec97aa600597e94c795c900e7c48e0acc74', 'e4f2ae0e:44e4b7d4840186a2846df96ab548fe37177d3943b5a162a36dbb0ac6c4f86f61', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-HNF8085XJEE5\",\"checkout_request_id\":\"ws_CO_99822496005267116524\"}}"}', to_timestamp(1798073362.065));
INSERT INTO stored_shop.idempotency VALUES ('POST /mobile-money/payment/initiate failed/1', 2, 'succeeded', 'dcead7ce-9933-4150-8895-398d3f6ae751', 'POST /mobile-money/payment/initiate', 'failed/1', 'https://sandbox.malipo.test/api/v1', '', to_timestamp(1795481362.121), to_timestamp(1795481362.121), 25000, 'e4f2ae0e:dfaf6c59ae03da592a24150eb9a5eb0d4c079072f2e50de7161b5c76c509f45b', 'e4f2ae0e:2253451f9f8ba53c66ab489dc5467dce5d65ed3c6e63fb3f0d39570cfc02d3b9', 'e4f2ae0e:30c54ff0a90a449c1e2ff94c49f278fa475b28086fae0ea37ebeea061eacb825', 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-3AGLHZX0NEQC\",\"checkout_request_id\":\"ws_CO_23638450534916825587\"}}"}', to_timestamp(1798073362.156));
INSERT INTO stored_shop.orders VALUES ('open', 1, 'Z4D4FK63M889', 'open', 0, 1795481361911, NULL, 1795481361911, '{"id":"open","amount":"100.00","currency":"KES","metadata":{"item":"a"},"description":"Item","accountReference":"Z4D4FK63M889","attempts":[],"money":[],"reviews":[],"createdAt":1795481361911,"updatedAt":1795481361911}');
INSERT INTO stored_shop.orders VALUES ('pending', 4, 'ZCAHFXMYPW26', 'pending', 0, 1795481361923, 1795481372686, 1795481367686, '{"id":"pending","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZCAHFXMYPW26","attempts":[{"number":1,"status":"pending","phone":"0712 *** 671","phoneDigest":"e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51","askedAt":1795481361933,"lookAt":1795481372686,"reference":"PAY-6R4125L2Q9QL"}],"money":[],"reviews":[],"createdAt":1795481361923,"updatedAt":1795481367686}');
INSERT INTO stored_shop.orders VALUES ('paid', 7, 'Z4T5DE3NNQH3', 'paid', 0, 1795481362007, NULL, 1795481367778, '{"id":"paid","amount":"100.00","currency":"KES","metadata":{},"accountReference":"Z4T5DE3NNQH3","attempts":[{"number":1,"status":"completed","phone":"0712 *** 672","phoneDigest":"e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784","askedAt":1795481362016,"reference":"PAY-65JNAY7LZK08"}],"money":[{"reference":"PAY-65JNAY7LZK08","amount":"100.00","currency":"KES"}],"reviews":[],"createdAt":1795481362007,"updatedAt":1795481367778,"paidBy":"PAY-65JNAY7LZK08","effect":{"tries":1,"at":1795481457771,"state":"done"}}');
INSERT INTO stored_shop.orders VALUES ('effect-due', 7, 'ZRQ48S20HX6R', 'paid', 0, 1795481362027, 1795481368778, 1795481367778, '{"id":"effect-due","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZRQ48S20HX6R","attempts":[{"number":1,"status":"completed","phone":"0712 *** 673","phoneDigest":"e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9","askedAt":1795481362027,"reference":"PAY-HNF8085XJEE5"}],"money":[{"reference":"PAY-HNF8085XJEE5","amount":"100.00","currency":"KES"}],"reviews":[],"createdAt":1795481362027,"updatedAt":1795481367778,"paidBy":"PAY-HNF8085XJEE5","effect":{"tries":1,"state":"due","at":1795481368778}}');
INSERT INTO stored_shop.orders VALUES ('failed', 5, 'ZBMMAJ3T4K2M', 'open', 0, 1795481362093, 1795481427736, 1795481367736, '{"id":"failed","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZBMMAJ3T4K2M","attempts":[{"number":1,"status":"failed","phone":"0712 *** 674","phoneDigest":"e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1","askedAt":1795481362098,"lookAt":1795481427736,"reference":"PAY-3AGLHZX0NEQC","message":"You cancelled the request.","retry":"now","endedAt":1795481367736}],"money":[],"reviews":[],"createdAt":1795481362093,"updatedAt":1795481367736}');
INSERT INTO stored_shop.orders VALUES ('canceled', 2, 'ZY4QXWT2B5VA', 'canceled', 0, 1795481367830, NULL, 1795481367851, '{"id":"canceled","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZY4QXWT2B5VA","attempts":[],"money":[],"reviews":[],"createdAt":1795481367830,"updatedAt":1795481367851,"closed":"canceled"}');
INSERT INTO stored_shop.orders VALUES ('review', 2, 'ZS5XCWK4FXWP', 'open', 1, 1795481367852, NULL, 1795481367880, '{"id":"review","amount":"100.00","currency":"KES","metadata":{},"accountReference":"ZS5XCWK4FXWP","attempts":[],"money":[{"reference":"PAY-R","amount":"90.00","currency":"KES"}],"reviews":[{"id":"review:amount_mismatch:PAY-R","kind":"amount_mismatch","at":1795481367880,"references":["PAY-R"]}],"createdAt":1795481367852,"updatedAt":1795481367880}');
INSERT INTO stored_shop.payments VALUES ('PAY-6R4125L2Q9QL', 'pending', NULL, NULL, 1795481362006);
INSERT INTO stored_shop.payments VALUES ('PAY-65JNAY7LZK08', 'paid', NULL, NULL, 1795481362026);
INSERT INTO stored_shop.payments VALUES ('PAY-HNF8085XJEE5', 'effect-due', NULL, NULL, 1795481362079);
INSERT INTO stored_shop.payments VALUES ('PAY-3AGLHZX0NEQC', 'failed', NULL, NULL, 1795481362182);
INSERT INTO stored_shop.payments VALUES ('PAY-R', 'review', NULL, NULL, 1795481367880);
INSERT INTO stored_shop.payments VALUES ('PAY-STRANGER', NULL, '{"reference":"PAY-STRANGER","status":"completed","amount":"90.00","currency":"KES","retry":"unknown"}', 'open', 1795481367929);
INSERT INTO stored_shop.prompts VALUES ('pending', 1, 'e4f2ae0e:0f224508628835b1fabf8ebf7691628433ec4fc5e2cc576a83372396a015dc51', 1795481361933, 1);
INSERT INTO stored_shop.prompts VALUES ('paid', 1, 'e4f2ae0e:4811b505113a3eb822c0c127e1716fece79d51a904ee044c0c795aa91d7cb784', 1795481362016, 0);
INSERT INTO stored_shop.prompts VALUES ('effect-due', 1, 'e4f2ae0e:9d359e41ff4b974c23ba2b3bc185fc1fab69545b84137de2ec3435477740c8e9', 1795481362027, 0);
INSERT INTO stored_shop.prompts VALUES ('failed', 1, 'e4f2ae0e:bc558f3eb03671e8ff960d710d874990bf7fd9ef38a4a3177cb85c488f6a7db1', 1795481362098, 0);
