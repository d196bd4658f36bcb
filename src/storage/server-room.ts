import { ConfigurationError } from "../errors/configuration.ts";
import { once } from "../internal/once.ts";
import { Semaphore } from "../internal/semaphore.ts";
import { type Component, formatSteps, missingSteps, tableSql } from "./component.ts";
import { type ConnectionPool, Connections, type Emitter } from "./connections.ts";
import type { Dialect } from "./dialect.ts";
import type { ConnectionMethods } from "./guarded-client.ts";
import { type Room, runLater, type Tables } from "./room.ts";
import {
  type Prepared,
  type RunStatement,
  type Server,
  ServerTables,
  type ServerTransaction,
} from "./server-tables.ts";
import type { Statement, StepResult, Steps, Value } from "./sql-steps.ts";
import type { Transact } from "./try-transact.ts";

/** How a database on a server is reached. */
export interface ServerRoomOptions<Pool> {
  readonly pool: Pool;
  /** Whether the pool was made for an address: then it is ended with the room. */
  readonly isOwnPool: boolean;
  readonly transact: Transact | undefined;
  /** The time of day, which tests set. */
  readonly now: (() => number) | undefined;
}

/** What a server says about itself. */
export interface ServerState {
  /** What must be changed before anything can be stored. */
  readonly problem: string | undefined;
  /** One sentence for each setting with which it can lose what it has acknowledged. */
  readonly risks: readonly string[];
}

/** A database on a server, for all processes of all machines. */
export abstract class ServerRoom<Sent extends Prepared, Client extends Emitter, Connection>
  implements Room<Connection>, Server<Sent, Client>
{
  /** The function of malipo that the user called. */
  abstract readonly owner: string;
  abstract readonly dialect: Dialect;
  abstract readonly methods: ConnectionMethods;
  readonly places: Semaphore;
  readonly transact: Transact | undefined;
  readonly now: (() => number) | undefined;
  readonly noReply: () => Error;
  protected readonly connections: Connections<Client>;
  #tryOnce: (() => Promise<void>) | undefined;

  protected constructor(
    options: Pick<ServerRoomOptions<unknown>, "transact" | "now">,
    pool: ConnectionPool<Client>,
  ) {
    const { transact, now } = options;
    this.transact = transact;
    this.now = now;
    this.noReply = pool.noReply;
    this.connections = new Connections(pool);
    this.places = new Semaphore(this.connections.places);
  }

  abstract prepare(given: Statement, types: Component["types"]): Sent;
  abstract plain(text: string): Sent;
  abstract limitIdle(ms: number): string;
  abstract runOn(transaction: unknown): RunStatement<Sent>;
  abstract isTableMissing(error: unknown): boolean;
  abstract isAgain(error: unknown, times: number): boolean;
  abstract savepointError(caller: string, error: unknown): unknown;
  abstract run(given: Sent, values: readonly Value[], timeoutMs?: number): Promise<StepResult>;
  abstract transaction<Result>(
    work: (run: RunStatement<Sent>, client: Client) => Promise<Result>,
    isKept: (result: Result) => boolean,
    options?: ServerTransaction,
  ): Promise<Result>;
  abstract withSettings<Result>(
    run: RunStatement<Sent>,
    work: () => Promise<Result>,
  ): Promise<Result>;
  abstract countWritten(run: RunStatement<Sent>): Promise<number | undefined>;
  abstract explained(what: string, error: unknown, component: Component): Promise<unknown>;
  /** An error of the server with what to do. */
  protected abstract withAdvice(what: string, error: unknown): unknown;
  /** Makes tables of a component, some of which are missing. */
  protected abstract make(component: Component): Promise<void>;
  /** Tries the rights that a component needs. @throws if one is missing. */
  protected abstract tryRights(component: Component): Promise<void>;
  /** Statements before those that make the tables. */
  protected abstract firstSql(): readonly string[];
  protected abstract state(): Promise<ServerState>;
  /** @param meta - A table to try it on. @throws {ConfigurationError} for one of which a later payment would fail. */
  protected abstract checkTransact(transact: Transact, meta: string): Promise<void>;

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    return new ServerTables(this, component);
  }

  async look<Returned>(steps: Steps<never, Returned>): Promise<Returned> {
    return this.#explaining(runLater(steps, ([given]) => this.run(this.prepare(given, {}), [])));
  }

  async #explaining<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw this.withAdvice("use this database", error);
    }
  }

  sql(components: readonly Component[]): string {
    const all = components.flatMap((one) => tableSql(this.dialect, one));
    return `${[...this.firstSql(), ...all].join(";\n")};`;
  }

  async migrate(component: Component): Promise<void> {
    const steps = await this.missing(component, (...given) => this.run(...given));
    if (steps.length > 0) await this.make(component);
    await this.tryRights(component);
  }

  /** The steps that are missing, as a connection sees it. */
  protected async missing(
    component: Component,
    run: RunStatement<Sent>,
  ): Promise<readonly (readonly string[])[]> {
    const steps = formatSteps(this.dialect, component);
    const found = await runLater(steps, ([given]) => run(this.prepare(given, {}), []));
    return missingSteps(this.dialect, component, found);
  }

  readonly open = once(async () => {
    const { problem, risks } = await this.#explaining(this.state());
    if (problem !== undefined) throw new ConfigurationError(`${this.owner}: ${problem}`);
    for (const risk of risks) this.connections.warnings.add(risk);
  });

  async tryTransact(meta: string): Promise<void> {
    const { transact } = this;
    if (transact === undefined) return;
    this.#tryOnce ??= once(() => this.checkTransact(transact, meta));
    await this.#tryOnce();
  }

  async check(): Promise<string[]> {
    const { problem, risks } = await this.state();
    return [problem ?? [], risks].flat();
  }

  takeWarnings(): string[] {
    return this.connections.takeWarnings();
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}
