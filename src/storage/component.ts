// What a store says about its tables: keys, events and orders each have one component, in one file `tables.ts`.
import { ConfigurationError } from "../errors/configuration.ts";
import { bareName, type Dialect } from "./dialect.ts";
import { type Statements, type Steps, statement } from "./sql-steps.ts";

/** A change of the tables. Each is additive: two versions of malipo run side by side while a shop is deployed. */
export interface Migration {
  /** The format that the tables have after it. */
  readonly format: number;
  /** Its statements, in their order. Each may be run again. */
  readonly sql: (dialect: Dialect) => readonly string[];
}

/** The types of values that are no texts, by their names in statements. `key` also stands for `key_0`, `key_1` and so on. */
export type ValueTypes = Readonly<Record<string, "integer" | "bytes">>;

/** How tables are recognised whose version wrote no table about itself. */
interface WithoutMeta {
  /** The table that is always there: the second part of its name. */
  readonly table: string;
  /** Its format, from the comment on it; `0` if the comment does not say. */
  readonly formatIn: (comment: string) => string;
}

/** The tables of a store, and what it does with them. */
export interface Component<Name extends string = string> {
  /** The beginning of the names of its tables: `checkout`. */
  readonly name: string;
  /** What they hold, for messages: `orders`. */
  readonly what: string;
  /** From the oldest format to the newest one. */
  readonly migrations: readonly Migration[];
  readonly statements: (dialect: Dialect) => Statements<Name>;
  readonly types: ValueTypes;
  readonly withoutMeta?: WithoutMeta;
}

/** The table of names and values in which a component writes about itself: its format is the row `format`. */
export const metaOf = (dialect: Dialect, { name }: Component): string =>
  dialect.table(name, "meta");

/** The newest format of a component: that which this version of malipo reads and writes. */
const formatOf = ({ migrations }: Component): number => migrations.at(-1)?.format ?? 0;

const metaTable = (dialect: Dialect, meta: string): string => {
  const { key, text } = dialect.types;
  return `CREATE TABLE IF NOT EXISTS ${meta} (name ${key} PRIMARY KEY, value ${text} NOT NULL)${dialect.suffix}`;
};

/** All that makes the tables of a component where there are none, and says their format at the end. */
export function tableSql(dialect: Dialect, component: Component): string[] {
  const meta = metaOf(dialect, component);
  return [
    ...component.migrations.flatMap(({ sql }) => sql(dialect)),
    metaTable(dialect, meta),
    `INSERT INTO ${meta} (name, value) SELECT 'format', '${formatOf(component)}'
      WHERE NOT EXISTS (SELECT 1 FROM ${meta} WHERE name = 'format')`,
  ];
}

/** The tables of a component, without their schema. */
export const tablesOf = (dialect: Dialect, component: Component): string[] =>
  tableSql(dialect, component).flatMap((sql) => {
    const [, table] = /^CREATE TABLE IF NOT EXISTS (\S+)/.exec(sql) ?? [];
    return table === undefined ? [] : bareName(table);
  });

const isKnown = ({ migrations }: Component, format: string): boolean =>
  migrations.some((one) => String(one.format) === format);

/** Resolves with the format of the tables: `undefined` if there are none, or if some of a known format are missing. */
export function* formatSteps(
  dialect: Dialect,
  component: Component,
): Steps<never, string | undefined> {
  const meta = metaOf(dialect, component);
  const { rows: made } = yield [statement(dialect.comment(meta)), {}];
  if (made.length > 0) {
    const { rows } = yield [statement(`SELECT value FROM ${meta} WHERE name = 'format'`), {}];
    if (rows.length === 0 && !dialect.isMadeAtOnce) return undefined;
    return String(rows[0]?.value ?? 0);
  }
  const { name, withoutMeta } = component;
  if (withoutMeta === undefined) return undefined;
  const { table, formatIn } = withoutMeta;
  const { rows } = yield [statement(dialect.comment(dialect.table(name, table))), {}];
  const found = rows[0] && formatIn(String(rows[0].comment));
  return found === undefined || isKnown(component, found) ? undefined : found;
}

/** Whether there are tables of a component, in whatever format. */
export function* isStoredSteps(dialect: Dialect, component: Component): Steps<never, boolean> {
  const { name, withoutMeta } = component;
  const tables = [metaOf(dialect, component)];
  if (withoutMeta !== undefined) tables.push(dialect.table(name, withoutMeta.table));
  for (const table of tables) {
    if ((yield [statement(dialect.comment(table)), {}]).rows.length > 0) return true;
  }
  return false;
}

/**
 * What brings tables of a format to the newest one: statements for each step, which belong into one transaction.
 *
 * @param found - The format of the tables; `undefined` if there are none.
 * @throws {ConfigurationError} for a format that this version does not know.
 */
export function missingSteps(
  dialect: Dialect,
  component: Component,
  found: string | undefined,
): readonly (readonly string[])[] {
  if (found === undefined) return [tableSql(dialect, component)];
  const meta = metaOf(dialect, component);
  if (!isKnown(component, found)) throw wrongFormat(component, found);
  return component.migrations
    .filter((migration) => migration.format > Number(found))
    .map(({ format: next, sql }) => [
      ...sql(dialect),
      `UPDATE ${meta} SET value = '${next}' WHERE name = 'format'`,
    ]);
}

function wrongFormat(component: Component, found: string): ConfigurationError {
  const newest = formatOf(component);
  const what = `The tables of ${component.what} have format ${found}, and this version of malipo knows the formats up to ${newest}.`;
  return new ConfigurationError(
    Number(found) > newest
      ? `${what} A newer version has written them: install that version, or a later one.`
      : `${what} Use the version that wrote them.`,
  );
}
