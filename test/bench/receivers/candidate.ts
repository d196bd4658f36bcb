import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CpuParts } from "./cpu-parts.ts";
import type { Counts } from "./lineup.ts";
import type { Load, Loaded } from "./load.ts";

const program = fileURLToPath(new URL("./server.ts", import.meta.url));
const clientProgram = fileURLToPath(new URL("./client.ts", import.meta.url));

/** What a receiver's process is asked when it reports its state. */
export interface Asked {
  /** Whether to collect garbage before. */
  readonly collect?: boolean;
  /** `true`: records from now on where the CPU time goes. `false`: ends that, and reports it. */
  readonly profiles?: boolean;
}

/** The state of a receiver's process. */
export interface State {
  readonly processed: number;
  /** CPU time that it has used since it started. */
  readonly cpuUs: number;
  /** Megabytes of heap in use. */
  readonly heap: number;
  /** Where the CPU time went, if that was recorded. */
  readonly parts?: CpuParts | undefined;
}

/** A receiver in its own process. */
export class Candidate {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly counts: Counts;

  private constructor(child: ChildProcess, port: number, counts: Counts) {
    this.#child = child;
    this.port = port;
    this.counts = counts;
  }

  /** @param counts - What it counts as processed. */
  static async start(name: string, store = "", counts: Counts = "events"): Promise<Candidate> {
    const child = fork(program, [name, store], { execArgv: ["--expose-gc"] });
    const [port] = await once(child, "message");
    return new Candidate(child, port, counts);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async state(asked: Asked = {}): Promise<State> {
    this.#child.send(asked);
    const [state] = await once(this.#child, "message");
    return state;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** What the deliveries of some events took. */
export interface Sent {
  /** 200s a second. */
  readonly perSecond: number;
  /** Events a second: the second delivery of an event is none. */
  readonly processedPerSecond: number;
  /** CPU time of all receivers for one delivery, from the first one until all are processed. */
  readonly cpuUs: number;
  readonly tookMs: readonly number[];
}

const POLL_MS = 5;

let made = 0;
let client: Promise<ChildProcess> | undefined;

async function startClient(): Promise<ChildProcess> {
  const child = fork(clientProgram);
  await once(child, "message");
  // The benchmark ends when all is measured.
  child.unref();
  child.channel?.unref();
  return child;
}

async function sendByClient(asked: Load): Promise<Loaded> {
  client ??= startClient();
  const child = await client;
  child.channel?.ref();
  child.send(asked);
  const [loaded] = await once(child, "message");
  child.channel?.unref();
  return loaded;
}

async function total(receivers: readonly Candidate[]): Promise<Pick<State, "processed" | "cpuUs">> {
  const states = await Promise.all(receivers.map((one) => one.state()));
  const sum = (name: "processed" | "cpuUs") =>
    states.reduce((before, state) => before + state[name], 0);
  return { processed: sum("processed"), cpuUs: sum("cpuUs") };
}

/**
 * Sends new events to one receiver or several on one engine, a tenth of them twice, and waits until all are
 * processed.
 *
 * @param order - The order that all of them pay, if they are double payments.
 */
export async function send(
  receivers: readonly Candidate[],
  events: number,
  connections: number,
  order?: string,
): Promise<Sent> {
  const first = made;
  made += events;
  const before = await total(receivers);
  const ports = receivers.map(({ port }) => port);
  const loaded = await sendByClient({ ports, connections, first, events, order });
  const { requests, startedAt, seconds, tookMs } = loaded;
  const due = before.processed + (receivers[0]?.counts === "deliveries" ? requests : events);
  let after = await total(receivers);
  while (after.processed < due) {
    await sleep(POLL_MS);
    after = await total(receivers);
  }
  const endedAt = performance.timeOrigin + performance.now();
  return {
    perSecond: requests / seconds,
    processedPerSecond: (events * 1_000) / (endedAt - startedAt),
    cpuUs: (after.cpuUs - before.cpuUs) / requests,
    tookMs,
  };
}
