CREATE TABLE IF NOT EXISTS malipo_locks (id smallint PRIMARY KEY) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;
INSERT INTO malipo_locks (id) VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63)
    ON DUPLICATE KEY UPDATE malipo_locks.id = malipo_locks.id;
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
INSERT INTO malipo_inbox VALUES (1, 'payment.completed', 1795880878817, NULL, x'0000000000000000000000000000000000000000000000000000000000000002', x'0000000000000000000000000000000000000000000000000000000000000002', 'payment.completed', '', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'done', 1, NULL);
INSERT INTO malipo_inbox VALUES (2, 'payment.completed', 1795880863853, NULL, x'0000000000000000000000000000000000000000000000000000000000000001', x'0000000000000000000000000000000000000000000000000000000000000001', 'payment.completed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', 'read', NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox VALUES (3, 'other', 1795880863855, NULL, x'0000000000000000000000000000000000000000000000000000000000000003', x'0000000000000000000000000000000000000000000000000000000000000003', 'refund.created', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a337d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000003', NULL, NULL, NULL, 'dead', 0, 'too old');
INSERT INTO malipo_inbox VALUES (4, 'other', 1795880863861, NULL, x'0000000000000000000000000000000000000000000000000000000000000004', x'0000000000000000000000000000000000000000000000000000000000000004', 'payment.reversed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a347d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000004', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox VALUES (5, 'payment.completed', 1795880863866, NULL, x'2a4688bdf84be3f3bb7ad784b07f06b585f3326594ae7c63d16fe7470391ce9f', x'000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'pending', 0, NULL);
INSERT INTO malipo_inbox_conflicts VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000b', 'invoice.paid', x'7b226576656e74223a227061796d656e742e636f6d706c65746564222c2264617461223a7b226e756d626572223a317d7d', 0, 4000000000000, 3999999999000, 'f000000000000000000000000000000000000000000000000000000000000001', NULL, NULL, NULL, 'open');
INSERT INTO malipo_inbox_conflicts VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000c', 'payment.completed', '', 0, 4000000000000, 3999999999000, NULL, NULL, NULL, 4001209599000, 'decided');
INSERT INTO malipo_inbox_conflicts VALUES (x'0000000000000000000000000000000000000000000000000000000000000001', x'000000000000000000000000000000000000000000000000000000000000000d', 'payment.completed', '', 0, 4000000000000, NULL, NULL, NULL, NULL, NULL, 'decided');
INSERT INTO malipo_inbox_double_payments VALUES ('pair-1', 'transaction_id', 'SGL31H4X9K', 'PAY-1', 'PAY-2', 'duka', 4000000000000, 'open');
INSERT INTO malipo_inbox_meta VALUES ('retention', '1209600000');
