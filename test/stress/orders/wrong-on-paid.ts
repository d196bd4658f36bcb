// Ways to write `onPaid` that go wrong: those of the page "What may go wrong in onPaid" that a campaign draws.
import type { Order, PaidContext, ReviewKind } from "malipo/checkout";
import { all, type EngineName } from "../harness/databases.ts";

/** What a wrong `onPaid` works with. */
interface Given {
  readonly context: PaidContext;
  /** Writes the goods by the connection of a transaction. */
  give(connection: unknown): unknown;
  /** Runs a statement by the connection of a transaction. */
  sql(connection: unknown, text: string): unknown;
  /** Reads the order from the store. */
  read(): Promise<unknown>;
}

/** By what one sees what became of a wrong try: a change of the order, or the error of a try that is made again. */
type Shows = "effect_done" | "effect_unclear" | "failed";

interface WrongOnPaid {
  readonly onPaid: (given: Given) => unknown;
  /** On each store on which it is drawn. */
  readonly shows: Readonly<Partial<Record<EngineName, Shows>>>;
  /** For so many tries; then it is written well. Without it, each try is wrong. */
  readonly tries?: number;
  /** Each try is wrong while a review of this kind is open. */
  readonly whileOpen?: ReviewKind;
}

const on = (shows: Shows): WrongOnPaid["shows"] => ({
  ...{ sqlite: shows, postgres: shows, mysql: shows },
});

const noPaper = (): never => {
  throw new Error("The printer has no paper.");
};

/** Runs a statement that fails, and goes on. */
function failAndGoOn({ sql }: Given, connection: unknown): unknown {
  try {
    const result = sql(connection, "INSERT INTO no_such_table VALUES (1)");
    return result instanceof Promise ? result.catch(() => {}) : result;
  } catch {
    return undefined;
  }
}

export const WRONG_ON_PAID = {
  "forgets the await before transaction": {
    onPaid: ({ context, give }) => void context.transaction((db) => give(db)),
    shows: on("effect_done"),
  },
  "catches the error of a statement, and goes on": {
    onPaid: ({ context, give, ...given }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => failAndGoOn({ context, give, ...given }, db),
        ),
      ),
    // PostgreSQL keeps nothing of a transaction with a failed statement.
    shows: { ...on("effect_done"), postgres: "failed" },
    tries: 2,
  },
  "rolls back by itself at the end": {
    onPaid: ({ context, give, sql }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "ROLLBACK"),
        ),
      ),
    shows: on("effect_unclear"),
    tries: 2,
  },
  "rolls back by itself, and writes the goods then": {
    onPaid: ({ context, give, sql }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "ROLLBACK"),
          () => give(db),
        ),
      ),
    shows: on("effect_unclear"),
  },
  "uses transaction twice": {
    onPaid: async ({ context, give }) => {
      await context.transaction((db) => give(db));
      await context.transaction((db) => give(db));
    },
    shows: on("effect_unclear"),
  },
  "uses transaction after it returned": {
    onPaid: ({ context, give }) => {
      setTimeout(() => void context.transaction((db) => give(db)).catch(() => {}), 5);
    },
    shows: on("effect_unclear"),
  },
  "throws after it committed": {
    onPaid: async ({ context, give }) => {
      await context.transaction((db) => give(db));
      noPaper();
    },
    shows: on("effect_done"),
  },
  "throws in its transaction for the first tries": {
    onPaid: ({ context, give }) => context.transaction((db) => all(() => give(db), noPaper)),
    shows: on("failed"),
    tries: 2,
  },
  "throws in its transaction until a person has decided": {
    onPaid: ({ context, give }) => context.transaction((db) => all(() => give(db), noPaper)),
    shows: on("failed"),
    tries: 3,
    whileOpen: "effect_failed",
  },
  "waits for a read of its order in its transaction": {
    onPaid: ({ context, give, read }) =>
      context.transaction(async (db) => {
        await give(db);
        await read();
      }),
    // A SQLite file is held by the transaction, which takes no async function.
    shows: { postgres: "effect_done", mysql: "effect_done" },
  },
} as const satisfies Readonly<Record<string, WrongOnPaid>>;

export type WrongName = keyof typeof WRONG_ON_PAID;

const wrong = (name: WrongName): WrongOnPaid => WRONG_ON_PAID[name];

/** By what one sees that a wrong try came; `undefined` on a store that does not allow it. */
export const showsOn = (engine: EngineName, name: WrongName): Shows | undefined =>
  wrong(name).shows[engine];

/** The wrong ways that are drawn on a store. */
export const wrongNames = (engine: EngineName): readonly WrongName[] =>
  (Object.keys(WRONG_ON_PAID) as WrongName[]).filter((name) => showsOn(engine, name) !== undefined);

/** Whether a try of an order goes wrong in its way. */
export function isWrongTry(name: WrongName, { reviews }: Order, attempt: number): boolean {
  const { tries = Number.POSITIVE_INFINITY, whileOpen } = wrong(name);
  return attempt <= tries || reviews.some(({ kind }) => kind === whileOpen);
}

export const goWrong = (name: WrongName, given: Given): unknown => wrong(name).onPaid(given);
