-- What later builds add to the tables of format 1: the clock of the server.
INSERT INTO malipo_inbox."QUEUE_meta" VALUES ('clock', '1767312245000');
