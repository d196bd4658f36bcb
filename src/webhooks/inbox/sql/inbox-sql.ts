import type { Dialect } from "../../../storage/dialect.ts";
import { type Statement, statement, type Value, type Values } from "../../../storage/sql-steps.ts";
import { tablesOf } from "../tables.ts";

export type { InboxStatement } from "../tables.ts";

/** The placeholders of a list, with its values. */
export interface ValueList {
  readonly text: string;
  readonly values: Values;
}

/**
 * The values of a list, as `$kind_0, $kind_1`. The last one is repeated up to a power of two, so that a few statements do
 * for lists of every length. An empty list has a text that no row has.
 */
export function valueList(name: string, values: readonly Value[]): ValueList {
  const given = values.length === 0 ? [""] : values;
  const size = 2 ** Math.ceil(Math.log2(given.length));
  const named = Array.from({ length: size }, (_, at) => {
    return [`${name}_${at}`, given[Math.min(at, given.length - 1)] as Value] as const;
  });
  return {
    text: named.map(([one]) => `$${one}`).join(", "),
    values: Object.fromEntries(named),
  };
}

/** Parts of a list that have at most so many elements. */
export function inParts<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** How many values of one list a statement has. */
export const LIST_SIZE = 128;

/** The words of one database, and the statements that are made for a number of values, each once. */
export class InboxSql {
  readonly dialect: Dialect;
  readonly tables: ReturnType<typeof tablesOf>;
  /** How long a processed event is remembered, in whole milliseconds. */
  readonly keepMs: number;
  readonly #made = new Map<string, Statement>();

  constructor(dialect: Dialect, retentionMs: number) {
    this.dialect = dialect;
    this.tables = tablesOf(dialect);
    this.keepMs = Math.ceil(retentionMs);
  }

  statement(text: string): Statement {
    return this.named(text, () => statement(text));
  }

  /** The same for a statement whose text takes a while to write. @param name - Stands for it. */
  named(name: string, make: () => Statement): Statement {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}
