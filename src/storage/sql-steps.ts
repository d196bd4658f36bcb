// What all stores are written in: statements with named values, and steps, each of which runs a statement and gets
// its result: at once in SQLite, later in the other databases.

/** A value that every database takes. */
export type Value = string | number | Uint8Array | null;

/** The values of a statement, by their names: `{ id: "42" }` stands for `$id`. */
export type Values = Readonly<Record<string, Value>>;

/** Values of many rows, which a map holds faster. */
export type ManyValues = ReadonlyMap<string, Value>;

/** The value of a name; `undefined` for one that a step does not give, such as a clock. */
export const valueIn = (values: Values | ManyValues, name: string): Value | undefined =>
  values instanceof Map ? values.get(name) : (values as Values)[name];

/** A row as the driver of its database returns it: PostgreSQL's returns large numbers as text. */
export type Row = Readonly<Record<string, unknown>>;

/** What a statement did. */
export interface StepResult {
  /** The rows of a query; none for a statement that writes. */
  readonly rows: readonly Row[];
  /** How many rows a statement has written. */
  readonly changed: number;
}

/** A statement with values by their names. It is made once, so that a database prepares it once. */
export interface Statement {
  readonly text: string;
  /** An INSERT that does nothing if a row with the same key is there. */
  readonly isIfAbsent: boolean;
}

/** Some statements by their names. */
export type Statements<Name extends string> = Readonly<Record<Name, Statement>>;

export const statement = (text: string): Statement => ({ text, isIfAbsent: false });

/** An INSERT that does nothing if a row with one of its unique values is there: `changed` is 0 then. */
export const insertIfAbsent = (text: string): Statement => ({ text, isIfAbsent: true });

/** A statement to run, by its name among those of a component, with its values. */
export type Step<Name extends string = string> = readonly [
  statement: Name | Statement,
  values: Values | ManyValues,
];

/** Steps that return something when all of them have run. */
export type Steps<Name extends string, Returned> = Generator<Step<Name>, Returned, StepResult>;

/** One statement as steps. */
export function* only<Name extends string>(step: Step<Name>): Steps<Name, StepResult> {
  return yield step;
}

/** A text with `?` for each value, and the name of each, in their order. */
export const unnamed = (text: string): { readonly text: string; readonly names: string[] } => ({
  text: text.replaceAll(/\$\w+/g, "?"),
  names: Array.from(text.matchAll(/\$(\w+)/g), ([, name = ""]) => name),
});

/** Whether a statement returns rows. */
export const returnsRows = (text: string): boolean => /^\s*(?:SELECT|WITH)\b/i.test(text);
