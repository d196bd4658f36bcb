import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { endWithThisProcess, hasEnded, killChild } from "../../../src/drill/child.ts";
import { deferred } from "./deferred.ts";
import type { HistoryEvent } from "./history/event.ts";
import type { History } from "./history/history.ts";
import type { JobName, Jobs, Setup, WorkerMessage } from "./messages.ts";
import { MAX_JOB_MS, MAX_START_MS } from "./time-limits.ts";
import { waitFor } from "./waits.ts";
import { createWaker, type Waker } from "./waker.ts";

/** The processes of the shop. */
export interface Pool {
  readonly size: number;
  /** Sends a job to a worker. `undefined` when the worker died, or could not do it now. */
  run<Name extends JobName>(
    worker: number,
    job: Name,
    input: Jobs[Name]["input"],
  ): Promise<Jobs[Name]["output"] | undefined>;
  /** Resolves when every worker takes jobs. */
  ready(): Promise<void>;
  /** Kills a worker, whatever it is doing, and starts a new one. */
  kill(worker: number): void;
  /** Does the same to the worker of this name, if it lives. */
  killNamed(who: string): void;
  /** How to wake the worker of this name from the sleep that it has reported last. */
  wakerOf(who: string): (() => Promise<void>) | undefined;
  /** Steps the wall clock of a worker to so far from the right time. */
  stepClock(worker: number, offsetMs: number): void;
  /** Replaces every process, so that nothing is left in memory. */
  replaceAll(): Promise<void>;
  /** The ports on which live workers receive webhooks. */
  ports(): number[];
  /** How many workers were killed, and how many jobs died with them. */
  readonly counts: { readonly killed: number; readonly jobsLost: number };
  /** Rejects when a worker dies that was not killed: then the campaign proves nothing. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

interface Worker {
  /** In the history. */
  readonly who: string;
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly open: Map<number, (output: undefined | Jobs[JobName]["output"]) => void>;
  port: number | undefined;
  /** Whether we killed it. */
  killed: boolean;
  readonly waker: Waker;
}

const WORKER_FILE = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** @param name - Of the workers in the history. */
export function createPool(
  name: string,
  size: number,
  setup: () => Setup,
  history: History,
  signal: AbortSignal,
): Pool {
  const counts = { killed: 0, jobsLost: 0 };
  const failed = deferred<never>();
  // A rejection without a waiter is not unhandled.
  failed.promise.catch(() => {});
  let nextId = 0;
  let started = 0;

  /** Adds what a worker reports to the history. */
  function listen(worker: Worker): void {
    const lines = createInterface({ input: worker.child.stdio[4] as Readable });
    lines.on("line", (line) => {
      // A worker may be killed in the middle of its last line.
      if (!line.endsWith("}")) return;
      const event = { ...JSON.parse(line), who: worker.who } as HistoryEvent;
      worker.waker.see(event);
      history.add(event);
    });
  }

  function start(): Worker {
    const child = fork(WORKER_FILE, { stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"] });
    endWithThisProcess(child);
    const ready = deferred<void>();
    const who = `${name} ${++started}`;
    const worker: Worker = {
      who,
      child,
      waker: createWaker(who, child),
      ready: ready.promise,
      open: new Map(),
      port: undefined,
      killed: false,
    };
    listen(worker);
    child.on("message", (message: WorkerMessage) => {
      if (message.kind === "done") worker.open.get(message.id)?.(message.output);
      if (message.kind !== "ready") return;
      worker.port = message.port;
      ready.resolve();
    });
    child.on("exit", (code, signalName) => {
      worker.port = undefined;
      ready.resolve();
      counts.jobsLost += worker.open.size;
      for (const end of worker.open.values()) end(undefined);
      if (worker.killed) return;
      failed.reject(
        new Error(`A worker ended that was not killed: ${signalName ?? `exit code ${code}`}.`),
      );
    });
    // A message to a worker that was just killed fails. Its jobs end at its exit.
    child.on("error", () => {});
    child.send(setup());
    return worker;
  }

  const hasStarted = ({ who, ready }: Worker) =>
    waitFor(ready, { what: () => `${who} to start`, limitMs: MAX_START_MS });

  async function end(worker: Worker): Promise<void> {
    const { child } = worker;
    worker.killed = true;
    if (hasEnded(child)) return;
    history.note(worker.who, { what: "killed" });
    await waitFor(killChild(child), { what: () => `${worker.who} to end`, limitMs: MAX_START_MS });
  }

  const workers = Array.from({ length: size }, start);
  const at = (index: number) => workers[index % size] as Worker;

  function kill(index: number): void {
    counts.killed++;
    void end(at(index));
    workers[index % size] = start();
  }

  return {
    size,
    counts,
    failed: failed.promise,
    run: async <Name extends JobName>(index: number, job: Name, input: Jobs[Name]["input"]) => {
      const worker = at(index);
      await hasStarted(worker);
      const what = () =>
        `${worker.who} to do the job ${job} ${JSON.stringify(input).slice(0, 200)}`;
      if (worker.killed || signal.aborted) return undefined;
      const id = nextId++;
      const output = deferred<Jobs[JobName]["output"] | undefined>();
      const cancel = () => output.resolve(undefined);
      worker.open.set(id, output.resolve);
      signal.addEventListener("abort", cancel);
      worker.child.send({ id, job, input });
      try {
        const given = await waitFor(output.promise, { what, limitMs: MAX_JOB_MS });
        return given as Jobs[Name]["output"] | undefined;
      } finally {
        worker.open.delete(id);
        signal.removeEventListener("abort", cancel);
      }
    },
    ready: async () => {
      await Promise.all(workers.map(hasStarted));
    },
    kill,
    killNamed: (who) => {
      const index = workers.findIndex((worker) => worker.who === who);
      if (index >= 0) kill(index);
    },
    wakerOf: (who) => workers.find((worker) => worker.who === who)?.waker.fromLastSleep(),
    stepClock: (index, offsetMs) => {
      const { child, killed, port } = at(index);
      if (!killed && port !== undefined) child.send({ offsetMs });
    },
    replaceAll: async () => {
      const ended = workers.map(end);
      workers.splice(0, size, ...workers.map(start));
      await Promise.all(ended);
    },
    ports: () => workers.map(({ port }) => port).filter((port) => port !== undefined),
    close: async () => {
      await Promise.all(workers.map(end));
    },
  };
}
