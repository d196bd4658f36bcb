// What a store says about its tables: keys, events and orders each have one component, in one file `tables.ts`.
import { ConfigurationError } from "../errors/configuration.ts";
import type { Dialect } from "./dialect.ts";
import type { Statements } from "./sql-steps.ts";

/** A change of the tables. Each is additive: two versions of malipo run side by side while a shop is deployed. */
export interface Migration {
  /** The format that the tables have after it. */
  readonly format: number;
  /** Its statements, in their order. Each may be run again. */
  readonly sql: (dialect: Dialect) => readonly string[];
}

/** The types of values that are no texts, by their names in statements. */
export type ValueTypes = Readonly<Record<string, "integer" | "bytes">>;

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
}

/** The table of names and values in which a component writes about itself: its format is the row `format`. */
export const metaOf = (dialect: Dialect, { name }: Component): string =>
  dialect.table(name, "meta");

/** The newest format of a component: that which this version of malipo reads and writes. */
export const formatOf = ({ migrations }: Component): number => migrations.at(-1)?.format ?? 0;

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
  const format = Number(found);
  const known = component.migrations.map((migration) => migration.format);
  if (!known.includes(format)) throw wrongFormat(component, found);
  return component.migrations
    .filter((migration) => migration.format > format)
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
