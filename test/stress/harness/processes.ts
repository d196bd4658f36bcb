import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithThisProcess, hasEnded, killChild } from "../../../src/drill/child.ts";
import { type CommonHappening, type Event, type History, parseEvent } from "./history.ts";
import { failure, HANG_MS, waitFor } from "./waits.ts";
import { GO_ON_DESCRIPTOR, REPORT_DESCRIPTOR } from "./worker.ts";

/** The jobs of a process, by their names: each with the function that does it there. */
export type JobsOf<Jobs> = { readonly [Name in keyof Jobs]: (input: never) => Promise<unknown> };
type Input<Job> = Job extends (input: infer I) => unknown ? I : never;
type Output<Job> = Job extends (input: never) => Promise<infer O> ? O : never;

/** What a process runs: a file, and what it is told at its start. */
export interface Program {
  readonly file: string;
  readonly setup: unknown;
}

/** A process that a campaign has started. */
export class WorkerProcess<Jobs extends JobsOf<Jobs> = object> {
  /** In the history. */
  readonly who: string;
  /** The port on which it takes requests; 0 before, and after its end. */
  port = 0;
  hasStarted = false;
  isKilled = false;
  /** What it wrote to stderr. */
  readonly errors: string[] = [];
  /** Resolves with whether it has started. */
  readonly ready: Promise<boolean>;
  /** Resolves with the signal that ended it, if one did. */
  readonly exit: Promise<NodeJS.Signals | null>;
  readonly #child: ChildProcess;
  readonly #open = new Map<number, (output: undefined) => void>();
  #jobs = 0;

  constructor(who: string, { file, setup }: Program, onEvent: (event: never) => void = () => {}) {
    this.who = who;
    const stdio = ["ignore", "ignore", "pipe", "ipc", "pipe", "pipe"] as const;
    const child = fork(file, { stdio: [...stdio], execArgv: [] });
    this.#child = child;
    endWithThisProcess(child);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.errors.push(text));
    const streams: readonly unknown[] = child.stdio;
    createInterface({ input: streams[REPORT_DESCRIPTOR] as Readable }).on("line", (line) => {
      const event = parseEvent(line);
      if (event !== undefined) onEvent({ ...event, who } as never);
    });
    // A process that was killed reads nothing, and takes no message.
    (streams[GO_ON_DESCRIPTOR] as Writable).on("error", () => {});
    child.on("error", () => {});
    this.exit = once(child, "close").then(([, signal]) => {
      this.port = 0;
      for (const end of this.#open.values()) end(undefined);
      return signal;
    });
    const started = new Promise<boolean>((resolve) => {
      child.on("message", (message: { port?: number; id?: number; output?: undefined }) => {
        if (message.id !== undefined) this.#open.get(message.id)?.(message.output);
        if (message.port === undefined) return;
        this.port = message.port;
        this.hasStarted = true;
        resolve(true);
      });
    });
    this.ready = Promise.race([started, this.exit.then(() => false)]);
    child.send(setup as object);
  }

  /** Has it do a job. Resolves with `undefined` if it dies, or could not do the job now. */
  async run<Name extends keyof Jobs & string>(
    job: Name,
    input: Input<Jobs[Name]>,
    signal?: AbortSignal,
  ): Promise<Output<Jobs[Name]> | undefined> {
    const hasStarted = await waitFor(this.ready, () => `${this.who} to start`);
    if (!hasStarted || this.isKilled || hasEnded(this.#child) || signal?.aborted) return undefined;
    const id = this.#jobs++;
    let cancel = () => {};
    const output = new Promise<undefined>((resolve) => {
      cancel = () => resolve(undefined);
      this.#open.set(id, resolve);
    });
    signal?.addEventListener("abort", cancel);
    this.#child.send({ id, job, input });
    const what = () => `${this.who} to do the job ${job} ${JSON.stringify(input).slice(0, 200)}`;
    try {
      return await waitFor<Output<Jobs[Name]> | undefined>(output, what);
    } finally {
      this.#open.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** How many of its jobs have not ended. */
  get open(): number {
    return this.#open.size;
  }

  /** Lets it go on from where it stands, with something that it is told. */
  goOn(told: object = {}): void {
    const streams: readonly unknown[] = this.#child.stdio;
    const stream = streams[GO_ON_DESCRIPTOR] as Writable;
    if (!hasEnded(this.#child)) stream.write(`${JSON.stringify(told)}\n`);
  }

  /** Suspends it for a time, as a machine does. */
  async freeze(ms: number): Promise<void> {
    this.#child.kill("SIGSTOP");
    await sleep(ms);
    this.#child.kill("SIGCONT");
  }

  /** Asks it to end. */
  end(): void {
    this.#child.kill("SIGTERM");
  }

  /** Kills it, whatever it is doing. */
  async kill(): Promise<void> {
    this.isKilled = true;
    this.port = 0;
    await waitFor(killChild(this.#child), () => `${this.who} to end`);
  }
}

/** How a pool starts its processes, and what it does if one ends by itself. */
export interface PoolOptions {
  /** Of the processes, in the history. */
  readonly name: string;
  readonly size: number;
  /** @param count - How many this pool has started before. */
  readonly program: (count: number) => Program;
  /** They end by themselves, each followed by the next. */
  readonly areShort?: boolean;
  /** One that starts while its engine is away ends, and is started again. */
  readonly mayFailToStart?: boolean;
  /** Resolves when a process may be started. Default: at any time. */
  readonly mayStart?: () => Promise<unknown>;
  /** Ends every job. */
  readonly signal?: AbortSignal;
}

/** This many deaths prove enough. */
const MAX_DEATHS = 100;
const MAX_ERROR_TEXT = 2_000;
const START_AGAIN_MS = 500;

/** What Node.js writes when an error of the code ends a process. */
const DEFECT = /^(?:Reference|Syntax|Type|Range)Error\b/m;

/** Processes of a shop. One that ends is replaced. */
export class Pool<Jobs extends JobsOf<Jobs> = object> {
  /** Rejects when processes die again and again: then the campaign proves nothing. */
  readonly failed: Promise<never>;
  /** What they wrote to stderr. */
  readonly errors: string[] = [];
  /** How many were killed, and how many jobs died with them. */
  readonly counts = { killed: 0, jobsLost: 0 };
  readonly #options: PoolOptions;
  /** Of any campaign: it has its own kinds of events, too. */
  readonly #history: History;
  readonly #slots: WorkerProcess<Jobs>[];
  /** Each is there for one order. */
  readonly #visitors = new Set<WorkerProcess<Jobs>>();
  readonly #failure = failure();
  #started = 0;
  #deaths = 0;
  #visits = 0;
  #isClosed = false;

  constructor(history: object, options: PoolOptions) {
    this.#history = history as History;
    this.#options = options;
    this.failed = this.#failure.promise;
    this.#slots = Array.from({ length: options.size }, () => this.#keep());
  }

  get size(): number {
    return this.#options.size;
  }

  /** How many processes it has started. */
  get started(): number {
    return this.#started;
  }

  /** Those that live: a process that was killed has been replaced. */
  get processes(): readonly WorkerProcess<Jobs>[] {
    return this.#slots;
  }

  /** The ports on which live processes take requests. */
  ports = (): number[] => this.#slots.map(({ port }) => port).filter((port) => port > 0);

  named(who: string): WorkerProcess<Jobs> | undefined {
    return [...this.#slots, ...this.#visitors].find((one) => one.who === who);
  }

  at(index: number): WorkerProcess<Jobs> {
    return this.#slots[index % this.size] as WorkerProcess<Jobs>;
  }

  run<Name extends keyof Jobs & string>(index: number, job: Name, input: Input<Jobs[Name]>) {
    return this.at(index).run(job, input, this.#options.signal);
  }

  #open(name: string, program: Program): WorkerProcess<Jobs> {
    return new WorkerProcess(name, program, (event: Event<CommonHappening>) => {
      this.#history.add(event as never);
      if (event.what === "defect") this.#failure.reject(new Error(`${name}: ${event.error}`));
    });
  }

  #keep(): WorkerProcess<Jobs> {
    const { name, program } = this.#options;
    const count = this.#started++;
    const opened = this.#open(`${name} ${count + 1}`, program(count));
    void this.#replaceAtEnd(opened).catch(this.#failure.reject);
    return opened;
  }

  async #replaceAtEnd(one: WorkerProcess<Jobs>): Promise<void> {
    const { areShort, mayFailToStart } = this.#options;
    const signal = await one.exit;
    const hasStarted = await one.ready;
    this.errors.push(...one.errors);
    if (this.#isClosed) return;
    const error = one.errors.join("");
    if (DEFECT.test(error)) throw new Error(`${one.who}: ${error}`);
    // It may have died just before it was killed.
    const isDeath = one.isKilled ? signal === null && hasStarted : signal !== null || !areShort;
    if (!hasStarted && mayFailToStart) await sleep(START_AGAIN_MS);
    else if (isDeath && !(one.isKilled && areShort)) this.#die(one, signal);
    await this.#options.mayStart?.();
    const at = this.#slots.indexOf(one);
    if (at >= 0 && !this.#isClosed) this.#slots[at] = this.#keep();
  }

  #die({ who, errors }: WorkerProcess<Jobs>, signal: string | null): void {
    const error = errors.join("").slice(-MAX_ERROR_TEXT) || `It ended: ${signal ?? "no error"}.`;
    this.#history.note(who, { what: "died", error } as never);
    if (++this.#deaths < MAX_DEATHS) return;
    throw new Error(`${this.#deaths} processes ended by themselves. The last one: ${error}`);
  }

  /** Resolves when every process has started, also those that replace others meanwhile. */
  async ready(): Promise<void> {
    const what = () => `every ${this.#options.name} to start`;
    const started = async () => {
      for (
        let all = [...this.#slots, ...this.#visitors];
        ;
        all = [...this.#slots, ...this.#visitors]
      ) {
        if (all.every(({ hasStarted }) => hasStarted)) return;
        await Promise.all(all.map(({ ready }) => ready));
        await sleep(20);
      }
    };
    await waitFor(Promise.race([started(), this.failed]), what);
  }

  /** Kills a process, whatever it is doing, and starts a new one in its place. */
  async kill(one: WorkerProcess<Jobs> | undefined): Promise<void> {
    await this.#options.mayStart?.();
    if (one === undefined || one.isKilled || this.#isClosed) return;
    this.counts.killed++;
    this.counts.jobsLost += one.open;
    this.#history.note(one.who, { what: "killed" } as never);
    const ended = one.kill();
    const at = this.#slots.indexOf(one);
    if (at >= 0) this.#slots[at] = this.#keep();
    await ended;
  }

  /** Starts a process beside the others, that is there for one order, and ends after it. */
  async visit<T>(
    program: Program,
    work: (visitor: WorkerProcess<Jobs>) => Promise<T>,
  ): Promise<T | undefined> {
    for (let tries = 1; ; tries++) {
      await this.#options.mayStart?.();
      if (this.#isClosed) return undefined;
      const visitor = this.#open(`visitor ${++this.#visits}`, program);
      this.#visitors.add(visitor);
      try {
        if (await waitFor(visitor.ready, () => `${visitor.who} to start`)) {
          return await work(visitor);
        }
        if (!this.#options.mayFailToStart || tries * START_AGAIN_MS > HANG_MS) {
          throw new Error(`${visitor.who} did not start: ${visitor.errors.join("")}`);
        }
        await sleep(START_AGAIN_MS);
      } finally {
        await visitor.kill();
        this.#visitors.delete(visitor);
        this.errors.push(...visitor.errors);
      }
    }
  }

  /** Replaces every process, so that nothing is left in memory. */
  async replaceAll(): Promise<void> {
    const ended = this.#slots.splice(0).map((one) => one.kill());
    this.#slots.push(...Array.from({ length: this.size }, () => this.#keep()));
    await Promise.all(ended);
  }

  /** Ends them. Kills nothing that a campaign counts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#slots, ...this.#visitors].map((one) => one.kill()));
  }
}
