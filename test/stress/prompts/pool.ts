import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { deferred } from "./deferred.ts";
import type { JobName, Jobs, Setup, WorkerMessage } from "./messages.ts";

/** The processes of the shop. */
export interface Pool {
  readonly size: number;
  /** Hands a job to a worker. `undefined`: it died over it, or could not do it now. */
  run<Name extends JobName>(
    worker: number,
    job: Name,
    input: Jobs[Name]["input"],
  ): Promise<Jobs[Name]["output"] | undefined>;
  /** Resolves when all take jobs. */
  ready(): Promise<void>;
  /** Kills a worker in the middle of whatever it does, and starts it again. */
  kill(worker: number): void;
  /** New processes for all: nothing that one remembers is left. */
  renew(): Promise<void>;
  /** Where those that live take webhooks. */
  ports(): number[];
  /** How many workers were killed, and how many jobs died with them. */
  readonly counts: { readonly killed: number; readonly jobsLost: number };
  /** Rejects where a worker dies by itself: then the campaign says nothing. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

interface Worker {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly open: Map<number, (output: undefined | Jobs[JobName]["output"]) => void>;
  port: number | undefined;
  /** That it ends is our doing. */
  killed: boolean;
}

const FILE = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** @param onBroken - Told of what a worker should never have seen. */
export function createPool(
  size: number,
  setup: Setup,
  signal: AbortSignal,
  onBroken: (what: string) => void,
): Pool {
  const counts = { killed: 0, jobsLost: 0 };
  const failed = deferred<never>();
  // Whoever races with it hears of it; nobody has to.
  failed.promise.catch(() => {});
  let nextId = 0;

  function start(): Worker {
    const child = fork(FILE, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ready = deferred<void>();
    const worker: Worker = {
      child,
      ready: ready.promise,
      open: new Map(),
      port: undefined,
      killed: false,
    };
    child.on("message", (message: WorkerMessage) => {
      if (message.kind === "broken") onBroken(message.what);
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
      failed.reject(new Error(`A worker ended by itself: ${signalName ?? `exit code ${code}`}.`));
    });
    // A message to one that was just killed: its jobs end with it.
    child.on("error", () => {});
    child.send(setup);
    return worker;
  }

  async function end(worker: Worker): Promise<void> {
    const { child } = worker;
    worker.killed = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  const workers = Array.from({ length: size }, start);
  const at = (index: number) => workers[index % size] as Worker;

  return {
    size,
    counts,
    failed: failed.promise,
    run: async <Name extends JobName>(index: number, job: Name, input: Jobs[Name]["input"]) => {
      const worker = at(index);
      await worker.ready;
      if (worker.killed || signal.aborted) return undefined;
      const id = nextId++;
      const output = deferred<Jobs[JobName]["output"] | undefined>();
      const giveUp = () => output.resolve(undefined);
      worker.open.set(id, output.resolve);
      signal.addEventListener("abort", giveUp);
      worker.child.send({ id, job, input });
      const given = await output.promise;
      worker.open.delete(id);
      signal.removeEventListener("abort", giveUp);
      return given as Jobs[Name]["output"] | undefined;
    },
    ready: async () => {
      await Promise.all(workers.map(({ ready }) => ready));
    },
    kill: (index) => {
      counts.killed++;
      void end(at(index));
      workers[index % size] = start();
    },
    renew: async () => {
      await Promise.all(workers.map(end));
      workers.splice(0, size, ...workers.map(start));
    },
    ports: () => workers.map(({ port }) => port).filter((port) => port !== undefined),
    close: async () => {
      await Promise.all(workers.map(end));
    },
  };
}
