import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { load, requestOf } from "./load.ts";

const program = fileURLToPath(new URL("./server.ts", import.meta.url));

/** The state of a receiver's process. */
export interface State {
  readonly processed: number;
  /** CPU time that it has used since it started. */
  readonly cpuUs: number;
  /** Megabytes of heap in use. */
  readonly heap: number;
}

/** A receiver in its own process. */
export class Candidate {
  readonly title: string;
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(title: string, child: ChildProcess, port: number) {
    this.title = title;
    this.#child = child;
    this.port = port;
  }

  static async start(title: string, name: string, store = ""): Promise<Candidate> {
    const child = fork(program, [name, store], { execArgv: ["--expose-gc"] });
    const [port] = await once(child, "message");
    return new Candidate(title, child, port);
  }

  /** @param collect - Whether to collect garbage before. */
  async state(collect = false): Promise<State> {
    this.#child.send({ collect });
    const [state] = await once(this.#child, "message");
    return state;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** What a number of deliveries took. */
export interface Sent {
  /** 200s a second. */
  readonly perSecond: number;
  readonly processedPerSecond: number;
  /** CPU time of all receivers for one delivery, from the first one until all are processed. */
  readonly cpuUs: number;
  readonly tookMs: readonly number[];
}

const POLL_MS = 10;

let made = 0;

async function total(receivers: readonly Candidate[]): Promise<Omit<State, "heap">> {
  const states = await Promise.all(receivers.map((one) => one.state()));
  const sum = (name: "processed" | "cpuUs") =>
    states.reduce((before, state) => before + state[name], 0);
  return { processed: sum("processed"), cpuUs: sum("cpuUs") };
}

/** Sends deliveries to one receiver or several on one engine, and waits until all are processed. */
export async function send(
  receivers: readonly Candidate[],
  count: number,
  connections: number,
): Promise<Sent> {
  const batch = Array.from({ length: count }, () => requestOf(`PAY-${made++}`));
  const before = await total(receivers);
  const started = performance.now();
  const ports = receivers.map(({ port }) => port);
  const { seconds, tookMs } = await load(ports, batch, connections);
  let after = await total(receivers);
  while (after.processed < before.processed + count) {
    await sleep(POLL_MS);
    after = await total(receivers);
  }
  return {
    perSecond: count / seconds,
    processedPerSecond: (count * 1_000) / (performance.now() - started),
    cpuUs: (after.cpuUs - before.cpuUs) / count,
    tookMs,
  };
}
