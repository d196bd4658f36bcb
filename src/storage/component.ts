// What a store says about its tables: keys, events and orders each have one component, in one file `tables.ts`.
import { ConfigurationError } from "../errors/configuration.ts";
import { bareName, type Dialect } from "./dialect.ts";
import { type Statements, type Steps, statement } from "./sql-steps.ts";

/**
 * A change of the tables. It adds to them: the version before goes on while a shop is deployed, and starts on them if the
 * shop goes back. It removes only what that version did not use.
 */
export interface Migration {
  /** The format that the tables have after it. */
  readonly format: number;
  /**
   * The oldest format whose versions may use the tables after it, from the second step on: at the latest the format before.
   *
   * @default `format`
   */
  readonly readableSince?: number;
  /** Its statements, in their order. Each may be run again, after any of those that follow it, too. */
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

/** Tables of the versions before the first format that had other names. They must be moved: this version does not read them. */
interface Former {
  /** A query for the `name` of each; `undefined` if there were none in this kind of database. */
  readonly find: (dialect: Dialect) => string | undefined;
  /** What happens if they are left, as the end of a sentence. */
  readonly risk: string;
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
  readonly former?: Former;
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

/** Writes a format into the table about a component, and never lowers it. */
function raiseSql(meta: string, name: string, format: number, { migrations }: Component): string[] {
  const older = migrations.filter((one) => one.format < format).map((one) => `'${one.format}'`);
  const insert = `INSERT INTO ${meta} (name, value) SELECT '${name}', '${format}'
      WHERE NOT EXISTS (SELECT 1 FROM ${meta} WHERE name = '${name}')`;
  if (older.length === 0) return [insert];
  const update = `UPDATE ${meta} SET value = '${format}' WHERE name = '${name}' AND value IN (${older})`;
  return [insert, update];
}

/** The statements of a step. Older versions are kept away before it, and its format is written when all is there. */
function stepSql(dialect: Dialect, component: Component, step: Migration): string[] {
  const meta = metaOf(dialect, component);
  const { format, readableSince = format } = step;
  const tables = step.sql(dialect);
  const written = raiseSql(meta, "format", format, component);
  if (step === component.migrations[0]) return [...tables, metaTable(dialect, meta), ...written];
  return [...raiseSql(meta, "readable_since", readableSince, component), ...tables, ...written];
}

/** The tables of a component, without their schema. */
export const tablesOf = (dialect: Dialect, component: Component): string[] =>
  tableSql(dialect, component).flatMap((sql) => {
    const [, table] = /^CREATE TABLE IF NOT EXISTS (\S+)/.exec(sql) ?? [];
    return table === undefined ? [] : bareName(table);
  });

/** All that makes the tables of a component, or brings them to the newest format. It may be run again. */
export const tableSql = (dialect: Dialect, component: Component): string[] =>
  component.migrations.flatMap((step) => stepSql(dialect, component, step));

/** The format of stored tables, and the oldest one whose versions may use them. */
interface Found {
  readonly format: string;
  readonly readableSince: string;
}

const asFound = (format: unknown, readableSince = format): Found => ({
  format: String(format),
  readableSince: String(readableSince),
});

/** Whether this version may use tables, or bring them to the newest format. */
function isKnown(component: Component, { format, readableSince }: Found): boolean {
  const newest = formatOf(component);
  if (Number(readableSince) > newest) return false;
  return (
    Number(format) > newest || component.migrations.some((one) => String(one.format) === format)
  );
}

/**
 * Resolves with the format of the tables: `undefined` if there are none, or if some of a known format are missing.
 *
 * @throws {ConfigurationError} if there are former tables, unless the table of the component says that others own them.
 */
export function* formatSteps(
  dialect: Dialect,
  component: Component,
): Steps<never, Found | undefined> {
  const meta = metaOf(dialect, component);
  const { rows: made } = yield [statement(dialect.comment(meta)), {}];
  const rows =
    made.length === 0 ? [] : (yield [statement(`SELECT name, value FROM ${meta}`), {}]).rows;
  const about = new Map(rows.map(({ name, value }) => [String(name), value]));
  yield* formerSteps(dialect, component, (table) => about.has(`former ${table}`));
  const format = about.get("format");
  if (format !== undefined) return asFound(format, about.get("readable_since"));
  // A process that was killed may have left some tables.
  if (!dialect.isMadeAtOnce) return undefined;
  if (made.length > 0) return asFound(0);
  const { name, withoutMeta } = component;
  if (withoutMeta === undefined) return undefined;
  const { table, formatIn } = withoutMeta;
  const comments = (yield [statement(dialect.comment(dialect.table(name, table))), {}]).rows;
  if (comments[0] === undefined) return undefined;
  // Another process may have made all of them between the two looks.
  const { rows: madeNow } = yield [statement(dialect.comment(meta)), {}];
  if (madeNow.length > 0) return yield* formatSteps(dialect, component);
  const found = asFound(formatIn(String(comments[0].comment)));
  return isKnown(component, found) ? undefined : found;
}

function* formerSteps(
  dialect: Dialect,
  { what, former }: Component,
  isOfOthers: (table: string) => boolean,
): Steps<never, void> {
  const query = former?.find(dialect);
  if (former === undefined || query === undefined) return;
  const names = (yield [statement(query), {}]).rows.map(({ name }) => String(name));
  const left = names.filter((name) => !isOfOthers(name));
  if (left.length === 0) return;
  throw new ConfigurationError(
    `A former version of malipo has stored ${what} in ${left.join(" and ")}, which this version does not read: ${former.risk}. Move them, or say that they belong to another shop, as "Upgrade and go back" in the manual shows.`,
  );
}

/** Whether there are tables of a component, in whatever format. @throws {ConfigurationError} as {@link formatSteps}. */
export function* isStoredSteps(dialect: Dialect, component: Component): Steps<never, boolean> {
  if ((yield* formatSteps(dialect, component)) !== undefined) return true;
  const { name, withoutMeta } = component;
  const tables = [metaOf(dialect, component)];
  if (withoutMeta !== undefined) tables.push(dialect.table(name, withoutMeta.table));
  for (const table of tables) {
    if ((yield [statement(dialect.comment(table)), {}]).rows.length > 0) return true;
  }
  return false;
}

/**
 * What brings tables of a format to the newest one: statements for each step, which belong into one transaction. None for
 * tables of a newer format that this version may use.
 *
 * @param found - The format of the tables; `undefined` if there are none.
 * @throws {ConfigurationError} for a format that this version may not use.
 */
export function missingSteps(
  dialect: Dialect,
  component: Component,
  found: Found | undefined,
): readonly (readonly string[])[] {
  if (found !== undefined && !isKnown(component, found)) throw wrongFormat(component, found);
  const format = Number(found?.format ?? 0);
  return component.migrations
    .filter((step) => step.format > format)
    .map((step) => stepSql(dialect, component, step));
}

function wrongFormat(component: Component, found: Found): ConfigurationError {
  const newest = formatOf(component);
  // A newer version that was killed has kept others away before it wrote its format.
  const isNewer = Number(found.readableSince) > newest;
  const format = isNewer
    ? Math.max(Number(found.format) || 0, Number(found.readableSince))
    : found.format;
  const what = `The tables of ${component.what} have format ${format}, and this version of malipo knows the formats up to ${newest}.`;
  return new ConfigurationError(
    isNewer
      ? `${what} A newer version has written them: install that version, or a later one.`
      : `${what} Use the version that wrote them.`,
  );
}
