import type { Component, Migration } from "../../src/storage/component.ts";
import { bareName, type Dialect } from "../../src/storage/dialect.ts";
import { type SeatStatement, seats } from "../suites/storage-room.ts";

/** A statement that takes some seconds, so that a process can be killed meanwhile. */
const SLOW: Readonly<Record<Dialect["name"], string>> = {
  sqlite:
    "DELETE FROM malipo_seats WHERE (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT MAX(i) FROM n) = 0",
  postgres: "SELECT pg_sleep(3)",
  mysql: "DO SLEEP(3)",
};

const tableOf = ({ types, suffix, table }: Dialect, name: string) =>
  `CREATE TABLE IF NOT EXISTS ${table("seats", name)} (id ${types.key} PRIMARY KEY, seat ${types.key})${suffix}`;

/** Adds a table with an index: a version that does not know it goes on, and starts on it. */
const second = (isSlow: boolean): Migration => ({
  format: 2,
  readableSince: 1,
  sql: (dialect) => [
    tableOf(dialect, "notes"),
    ...(isSlow ? [SLOW[dialect.name]] : []),
    dialect.index(dialect.table("seats", "notes"), "seat", "(seat)"),
  ],
});

const DROP_INDEX: Readonly<Record<Dialect["name"], (table: string) => string>> = {
  sqlite: (table) => `DROP INDEX IF EXISTS ${table}_place`,
  postgres: (table) => `DROP INDEX IF EXISTS ${table}_place`,
  // MySQL does not know IF EXISTS here.
  mysql: (table) => `ALTER TABLE ${table} DROP INDEX /*M! IF EXISTS */ ${bareName(table)}_place`,
};

/** Adds a table, and removes an index that the second format does not use any more. */
const THIRD: Migration = {
  format: 3,
  readableSince: 2,
  sql: (dialect) => [
    tableOf(dialect, "marks"),
    DROP_INDEX[dialect.name](dialect.table("seats", "")),
  ],
};

/** The tables of seats as a version knows them whose newest format is this one. */
export function seatsOf(format: number, isSlow = false): Component<SeatStatement> {
  return seats([...seats().migrations, second(isSlow), THIRD].slice(0, format));
}
