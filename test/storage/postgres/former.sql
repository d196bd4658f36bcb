-- What the version before the engines left in PostgreSQL: keys by postgresIdempotency(pool), events by
-- pgBossInbox({ connectionString }), and the empty tables of postgresCheckout({ pool }), each with its default names.
-- Written by that version itself, with `fill` and `writeEachState` of the tests, and by pg_dump --inserts. Times are set
-- to 2026 and 2100. The schema of pg-boss is left out: its jobs only repeat the keys of these events.
CREATE SCHEMA malipo_checkout;
CREATE SCHEMA malipo_inbox;
CREATE TABLE malipo_checkout.decisions (
    id bigint NOT NULL,
    line text NOT NULL
);
ALTER TABLE malipo_checkout.decisions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME malipo_checkout.decisions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE malipo_checkout.idempotency (
    key text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    state text NOT NULL,
    owner text NOT NULL,
    endpoint text NOT NULL,
    idempotency_key text NOT NULL,
    base_url text NOT NULL,
    scope text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    lease_from timestamp with time zone NOT NULL,
    lease_ms bigint NOT NULL,
    parameters text NOT NULL,
    account_reference text,
    amount text,
    phone text,
    result text,
    keep_until timestamp with time zone
);
COMMENT ON TABLE malipo_checkout.idempotency IS 'Idempotency keys of malipo, format 3';
CREATE TABLE malipo_checkout.meta (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE malipo_checkout.orders (
    id text NOT NULL,
    version bigint NOT NULL,
    label text NOT NULL,
    status text NOT NULL,
    has_review bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint,
    planned_at bigint NOT NULL,
    state text NOT NULL
);
CREATE TABLE malipo_checkout.payments (
    reference text NOT NULL,
    order_id text,
    report text,
    review text,
    at bigint NOT NULL
);
CREATE TABLE malipo_checkout.prompts (
    order_id text NOT NULL,
    number bigint NOT NULL,
    phone text NOT NULL,
    at bigint NOT NULL,
    is_open bigint NOT NULL
);
CREATE TABLE malipo_inbox."malipo-webhooks_conflicts" (
    key bytea NOT NULL,
    digest bytea NOT NULL,
    kind text NOT NULL,
    raw bytea NOT NULL,
    secret_index integer NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature text,
    trace_context text,
    source text,
    forget_at bigint,
    state text NOT NULL,
    CONSTRAINT "malipo-webhooks_conflicts_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'decided'::text])))
);
CREATE TABLE malipo_inbox."malipo-webhooks_doubles" (
    id text NOT NULL,
    by text NOT NULL,
    value text NOT NULL,
    reference_1 text NOT NULL,
    reference_2 text NOT NULL,
    merchant text,
    received_at bigint NOT NULL,
    state text NOT NULL,
    CONSTRAINT "malipo-webhooks_doubles_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'decided'::text])))
);
CREATE TABLE malipo_inbox."malipo-webhooks_events" (
    due_at bigint,
    key bytea NOT NULL,
    digest bytea NOT NULL,
    kind text NOT NULL,
    raw bytea NOT NULL,
    secret_index integer NOT NULL,
    received_at bigint NOT NULL,
    signed_at bigint,
    signature text,
    trace_context text,
    source text,
    forget_at bigint,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    CONSTRAINT "malipo-webhooks_events_state_check" CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'dead'::text])))
);
CREATE TABLE malipo_inbox."malipo-webhooks_meta" (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.malipo_idempotency (
    key text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    state text NOT NULL,
    owner text NOT NULL,
    endpoint text NOT NULL,
    idempotency_key text NOT NULL,
    base_url text NOT NULL,
    scope text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    lease_from timestamp with time zone NOT NULL,
    lease_ms bigint NOT NULL,
    parameters text NOT NULL,
    account_reference text,
    amount text,
    phone text,
    result text,
    keep_until timestamp with time zone
);
COMMENT ON TABLE public.malipo_idempotency IS 'Idempotency keys of malipo, format 3';
INSERT INTO malipo_checkout.meta VALUES ('format', '1');
INSERT INTO malipo_inbox."malipo-webhooks_conflicts" VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000b', 'invoice.paid', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'open');
INSERT INTO malipo_inbox."malipo-webhooks_conflicts" VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', '\x', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'decided');
INSERT INTO malipo_inbox."malipo-webhooks_conflicts" VALUES ('\x0000000000000000000000000000000000000000000000000000000000000001', '\x000000000000000000000000000000000000000000000000000000000000000d', 'payment.completed', '\x', 0, 4000000000000, NULL, NULL, NULL, NULL, NULL, 'decided');
INSERT INTO malipo_inbox."malipo-webhooks_doubles" VALUES ('pair-1', 'transaction_id', 'SGL31H4X9K', 'PAY-1', 'PAY-2', 'duka', 4000000000000, 'open');
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x0000000000000000000000000000000000000000000000000000000000000014', '\x0000000000000000000000000000000000000000000000000000000000000014', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a32307d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000014', NULL, NULL, NULL, 'pending', 1, 'Error: The printer is out of paper.');
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x0000000000000000000000000000000000000000000000000000000000000002', '\x0000000000000000000000000000000000000000000000000000000000000002', 'payment.completed', '\x', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'done', 0, NULL);
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x0000000000000000000000000000000000000000000000000000000000000001', '\x0000000000000000000000000000000000000000000000000000000000000001', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', 'read', NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x0000000000000000000000000000000000000000000000000000000000000003', '\x0000000000000000000000000000000000000000000000000000000000000003', 'refund.created', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a337d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000003', NULL, NULL, NULL, 'dead', 0, 'too old');
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x0000000000000000000000000000000000000000000000000000000000000004', '\x0000000000000000000000000000000000000000000000000000000000000004', 'payment.reversed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a347d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000004', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox."malipo-webhooks_events" VALUES (1767225600000, '\x2a4688bdf84be3f3bb7ad784b07f06b585f3326594ae7c63d16fe7470391ce9f', '\x000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', '\x7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox."malipo-webhooks_meta" VALUES ('format', '1');
INSERT INTO malipo_inbox."malipo-webhooks_meta" VALUES ('retention', '1209600000');
INSERT INTO malipo_inbox."malipo-webhooks_meta" VALUES ('queues', '{"malipo-webhooks/payment.completed":"2026-11-28T11:24:08.988Z","malipo-webhooks/payment.failed":"2026-11-28T11:24:09.019Z","malipo-webhooks/payment.initiated":"2026-11-28T11:24:09.043Z","malipo-webhooks/invoice.created":"2026-11-28T11:24:09.064Z","malipo-webhooks/invoice.paid":"2026-11-28T11:24:09.087Z","malipo-webhooks/invoice.overdue":"2026-11-28T11:24:09.104Z","malipo-webhooks/subscription.created":"2026-11-28T11:24:09.120Z","malipo-webhooks/subscription.canceled":"2026-11-28T11:24:09.139Z","malipo-webhooks/other":"2026-11-28T11:24:09.168Z"}');
INSERT INTO malipo_inbox."malipo-webhooks_meta" VALUES ('clock', '1795865049435');
INSERT INTO public.malipo_idempotency VALUES ('"shop" POST /mobile-money/payment/initiate in-flight/1', 2, 'in_flight', 'owner of in-flight', 'POST /mobile-money/payment/initiate', 'in-flight/1', 'https://gateway.example/api/v1', 'shop', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 60000, 'be271afa:349bcc51ccdc42660f1903552b8dfe0779cbf95e79c63e6bc39d2ff59765a51b', 'be271afa:f1377567932ef4424656d4d8fa0e7fb0dfcfe85d29142975c7ba250bcfc3e2a9', 'be271afa:137c1fd9bb2021e2c4fa4951912d2f4c2cde30b9f401d1105a99d386dbfa95e4', 'be271afa:455a778f44e6bba99277644a3859a99207df3399da42ab0b03cf2d1e4333498f', NULL, NULL);
INSERT INTO public.malipo_idempotency VALUES ('"shop" POST /mobile-money/payment/initiate unknown/1', 2, 'unknown', 'owner of unknown', 'POST /mobile-money/payment/initiate', 'unknown/1', 'https://gateway.example/api/v1', 'shop', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 60000, 'be271afa:349bcc51ccdc42660f1903552b8dfe0779cbf95e79c63e6bc39d2ff59765a51b', 'be271afa:f1377567932ef4424656d4d8fa0e7fb0dfcfe85d29142975c7ba250bcfc3e2a9', 'be271afa:137c1fd9bb2021e2c4fa4951912d2f4c2cde30b9f401d1105a99d386dbfa95e4', 'be271afa:455a778f44e6bba99277644a3859a99207df3399da42ab0b03cf2d1e4333498f', NULL, NULL);
INSERT INTO public.malipo_idempotency VALUES ('"shop" POST /mobile-money/payment/initiate succeeded/1', 2, 'succeeded', 'owner of succeeded', 'POST /mobile-money/payment/initiate', 'succeeded/1', 'https://gateway.example/api/v1', 'shop', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 60000, 'be271afa:349bcc51ccdc42660f1903552b8dfe0779cbf95e79c63e6bc39d2ff59765a51b', 'be271afa:f1377567932ef4424656d4d8fa0e7fb0dfcfe85d29142975c7ba250bcfc3e2a9', 'be271afa:137c1fd9bb2021e2c4fa4951912d2f4c2cde30b9f401d1105a99d386dbfa95e4', 'be271afa:455a778f44e6bba99277644a3859a99207df3399da42ab0b03cf2d1e4333498f', '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-1\"}}"}', '2100-01-01 00:00:00+00');
INSERT INTO public.malipo_idempotency VALUES ('"shop" POST /mobile-money/payment/initiate resolved/1', 2, 'succeeded', '', 'POST /mobile-money/payment/initiate', 'resolved/1', 'https://gateway.example/api/v1', 'shop', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 0, 'be271afa:349bcc51ccdc42660f1903552b8dfe0779cbf95e79c63e6bc39d2ff59765a51b', NULL, NULL, NULL, '{"status":200,"text":"{\"success\":true,\"data\":{\"reference\":\"PAY-1\"}}"}', '2100-01-01 00:00:00+00');
ALTER TABLE ONLY malipo_checkout.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY malipo_checkout.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);
ALTER TABLE ONLY malipo_checkout.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY malipo_checkout.orders
    ADD CONSTRAINT orders_label_key UNIQUE (label);
ALTER TABLE ONLY malipo_checkout.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY malipo_checkout.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (reference);
ALTER TABLE ONLY malipo_checkout.prompts
    ADD CONSTRAINT prompts_pkey PRIMARY KEY (order_id, number);
ALTER TABLE ONLY malipo_inbox."malipo-webhooks_conflicts"
    ADD CONSTRAINT "malipo-webhooks_conflicts_pkey" PRIMARY KEY (key, digest);
ALTER TABLE ONLY malipo_inbox."malipo-webhooks_doubles"
    ADD CONSTRAINT "malipo-webhooks_doubles_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY malipo_inbox."malipo-webhooks_events"
    ADD CONSTRAINT "malipo-webhooks_events_key_key" UNIQUE (key);
ALTER TABLE ONLY malipo_inbox."malipo-webhooks_meta"
    ADD CONSTRAINT "malipo-webhooks_meta_pkey" PRIMARY KEY (name);
ALTER TABLE ONLY public.malipo_idempotency
    ADD CONSTRAINT malipo_idempotency_pkey PRIMARY KEY (key);
CREATE INDEX idempotency_begun_at ON malipo_checkout.idempotency USING btree (begun_at, key);
CREATE INDEX idempotency_open ON malipo_checkout.idempotency USING btree (begun_at, key) WHERE (state <> 'succeeded'::text);
CREATE INDEX idempotency_reference ON malipo_checkout.idempotency USING btree (account_reference, begun_at, key) WHERE (account_reference IS NOT NULL);
CREATE INDEX orders_created ON malipo_checkout.orders USING btree (created_at, id);
CREATE INDEX orders_due ON malipo_checkout.orders USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX orders_due_by_age ON malipo_checkout.orders USING btree (status, created_at, id) WHERE (due_at > 0);
CREATE INDEX orders_paid ON malipo_checkout.orders USING btree (status, due_at) WHERE ((due_at IS NOT NULL) AND (status = 'paid'::text));
CREATE INDEX orders_planned ON malipo_checkout.orders USING btree (planned_at) WHERE (due_at IS NOT NULL);
CREATE INDEX orders_review_by_age ON malipo_checkout.orders USING btree (created_at, id) WHERE (has_review > 0);
CREATE INDEX orders_status ON malipo_checkout.orders USING btree (status, created_at, id);
CREATE INDEX payments_review ON malipo_checkout.payments USING btree (at, reference) WHERE (review = 'open'::text);
CREATE INDEX payments_stray ON malipo_checkout.payments USING btree (at) WHERE ((order_id IS NULL) AND (review IS NULL));
CREATE INDEX prompts_phone ON malipo_checkout.prompts USING btree (phone, at);
CREATE INDEX "malipo-webhooks_conflicts_forget_at_idx" ON malipo_inbox."malipo-webhooks_conflicts" USING btree (forget_at) WHERE (forget_at IS NOT NULL);
CREATE INDEX "malipo-webhooks_conflicts_received_at_key_digest_idx" ON malipo_inbox."malipo-webhooks_conflicts" USING btree (received_at, key, digest) WHERE (state = 'open'::text);
CREATE INDEX "malipo-webhooks_events_due_at_idx" ON malipo_inbox."malipo-webhooks_events" USING btree (due_at) WHERE ((state = 'pending'::text) AND (attempts > 0));
CREATE INDEX "malipo-webhooks_events_forget_at_idx" ON malipo_inbox."malipo-webhooks_events" USING btree (forget_at) WHERE (forget_at IS NOT NULL);
CREATE INDEX "malipo-webhooks_events_received_at_idx" ON malipo_inbox."malipo-webhooks_events" USING btree (received_at) WHERE (state = 'pending'::text);
CREATE INDEX "malipo-webhooks_events_received_at_key_idx" ON malipo_inbox."malipo-webhooks_events" USING btree (received_at, key) WHERE (state = 'dead'::text);
CREATE INDEX malipo_idempotency_begun_at ON public.malipo_idempotency USING btree (begun_at, key);
CREATE INDEX malipo_idempotency_open ON public.malipo_idempotency USING btree (begun_at, key) WHERE (state <> 'succeeded'::text);
CREATE INDEX malipo_idempotency_reference ON public.malipo_idempotency USING btree (account_reference, begun_at, key) WHERE (account_reference IS NOT NULL);
