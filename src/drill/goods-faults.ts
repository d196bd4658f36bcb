// What the drill puts between `onPaid` and its store: by the public interface of both.
import type { Order, PaidContext } from "../checkout/index.ts";
import { isAsyncFunction, isThenable } from "../internal/thenable.ts";
import type { GoodsCase, GoodsTraits } from "./goods-cases.ts";

export type OnPaid = (order: Order, context: PaidContext) => unknown;

/** What goes wrong in one try. */
export type PlannedFault = Pick<GoodsCase, "kind" | "at">;

/** The methods of connections that run SQL, or prepare it: those of pg, mysql2, node:sqlite and better-sqlite3. */
const RUNS_SQL = new Set<PropertyKey>(["query", "execute", "prepare", "exec"]);
const FAILS = "INSERT INTO malipo_drill_no_such_table VALUES (1)";
const BROKEN = "The drill made this try fail.";

type Method = (...given: unknown[]) => unknown;
type ServerConnection = Readonly<Partial<Record<"query" | "execute", Method>>>;

const kill = () => process.kill(process.pid, "SIGKILL");

/** @returns whether a statement can end the connection itself. */
function isOfServer(connection: unknown): connection is Required<Pick<ServerConnection, "query">> {
  const { query, execute } = Object(connection) as Record<string, unknown>;
  const isPg = typeof Object(connection).escapeIdentifier === "function";
  return typeof query === "function" && (isPg || execute !== undefined);
}

/** A real loss: the server itself ends the connection. Resolves with whether it did. */
async function loseConnection(connection: unknown): Promise<boolean> {
  if (!isOfServer(connection)) return false;
  const { execute } = connection as ServerConnection;
  const sql =
    execute === undefined
      ? "SELECT pg_terminate_backend(pg_backend_pid())"
      : "KILL CONNECTION_ID()";
  await Promise.resolve(connection.query(sql)).catch(() => {});
  return await Promise.resolve(connection.query("SELECT 1")).then(
    () => false,
    () => true,
  );
}

/** The connection, whose statement number `at` is one that the database rejects. */
function countStatements(connection: object, at: number | undefined, onStatement: () => number) {
  return new Proxy(connection, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || name === "constructor") return value;
      if (!RUNS_SQL.has(name)) return value.bind(target);
      return (...given: unknown[]) => {
        const callbacks = given.filter((one) => typeof one === "function");
        const isIt = onStatement() === at;
        return Reflect.apply(value, target, isIt ? [FAILS, ...callbacks] : given);
      };
    },
  });
}

/** Runs one try of `onPaid`, and makes it fail as planned. */
export class FaultyTry {
  readonly #fault: PlannedFault;
  readonly #happened: () => void;
  readonly traits: Omit<GoodsTraits, "isFile"> = {
    usesTransaction: false,
    statements: 0,
    isServer: false,
  };

  /** @param happened - Is called as the fault happens, unless it ends the process. */
  constructor(fault: PlannedFault, happened: () => void) {
    this.#fault = fault;
    this.#happened = happened;
  }

  async run(onPaid: OnPaid, order: Order, context: PaidContext): Promise<unknown> {
    const { kind } = this.#fault;
    if (kind === "stop") {
      this.#happened();
      process.kill(process.pid, "SIGSTOP");
    }
    const result = await onPaid(order, {
      ...context,
      transaction: (write) => this.#transaction(context, write),
    });
    if (kind === "killReturned") kill();
    if (kind !== "throws") return result;
    this.#happened();
    throw new Error(BROKEN);
  }

  async #transaction<Result, Own>(
    context: PaidContext,
    write: (connection: Own) => Result | Promise<Result>,
  ): Promise<Result> {
    this.traits.usesTransaction = true;
    const faulty = (connection: Own) => this.#write(connection, write);
    // The store judges a function by what it is: an async one stays one.
    const given = isAsyncFunction(write)
      ? async (connection: Own): Promise<Result> => faulty(connection)
      : faulty;
    const result = await context.transaction(typeof write === "function" ? given : write);
    if (this.#fault.kind === "killAfter") kill();
    return result;
  }

  #write<Result, Own>(connection: Own, write: (connection: Own) => Result | Promise<Result>) {
    const { kind, at } = this.#fault;
    this.traits.isServer ||= isOfServer(connection);
    const isCounted = kind === "none" || kind === "statement";
    const seen =
      isCounted && typeof connection === "object" && connection !== null
        ? countStatements(connection, kind === "statement" ? at : undefined, () => {
            this.traits.statements++;
            if (kind === "statement" && this.traits.statements === at) this.#happened();
            return this.traits.statements;
          })
        : connection;
    const result = write(seen as Own);
    const isLate = isThenable(result);
    if (kind === "connection") {
      return (async () => {
        const value = await result;
        if (await loseConnection(connection)) this.#happened();
        return value;
      })();
    }
    if (kind !== "killBefore" && kind !== "rollback") return result;
    return isLate ? Promise.resolve(result).then(() => this.#end()) : this.#end();
  }

  /** What happens between the last statement and COMMIT. */
  #end(): never {
    if (this.#fault.kind === "killBefore") kill();
    this.#happened();
    throw new Error(BROKEN);
  }
}
