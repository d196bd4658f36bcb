// The side of a campaign in a process that it has started: what happens is reported at once, jobs are taken, and the
// process stops where the campaign wants to do something to it.
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { readSync, writeSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { historyTime } from "./waits.ts";

/** The pipes on which a process reports, and is let go on. */
export const REPORT_DESCRIPTOR = 4;
export const GO_ON_DESCRIPTOR = 5;

const MAX_TOLD_BYTES = 4_096;

/** Does something with a pipe that may be full or empty for a moment. */
function withPipe(work: () => number): number {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Reports at once: a process that is killed right after this has reported. */
export function record(happening: object): void {
  const left = Buffer.from(`${JSON.stringify({ at: historyTime(), ...happening })}\n`);
  for (let written = 0; written < left.length; ) {
    written += withPipe(() => writeSync(REPORT_DESCRIPTOR, left, written));
  }
}

const DEFECTS = [ReferenceError, SyntaxError, TypeError, RangeError];

/** Reports an error that no engine, service or other process causes: it is a defect, and ends the campaign. */
export function reportDefect(error: unknown): void {
  const isDefect =
    DEFECTS.some((one) => error instanceof one) || Object(error).code === "invalid_params";
  if (isDefect) record({ what: "defect", error: (error as Error).stack ?? String(error) });
}

/** What a process knows of the work that it does for an order. */
export interface Call {
  /** Of the order, in the history. */
  readonly key: string;
  /** When it began, by the clock of this process. */
  readonly at?: number;
  /** The attempt that the store has begun for it. */
  attempt?: string | undefined;
  /** Where this process stops in the middle of it, once. */
  stopAt?: string | undefined;
}

/** The call in which the current code runs. */
export const currentCall = new AsyncLocalStorage<Call>();

/**
 * Stops in the middle of the code if this is the point of the call, as a suspended machine does: no timer ends a call
 * in the meantime. Returns what the campaign says when it lets this process go on.
 */
export function reach(
  point: string,
  call: Call | undefined = currentCall.getStore(),
): { readonly offsetMs?: number } {
  if (call?.stopAt !== point) return {};
  call.stopAt = undefined;
  const { key, attempt } = call;
  record({ what: "asleep", key, point, attempt });
  const told = Buffer.alloc(MAX_TOLD_BYTES);
  const length = withPipe(() => readSync(GO_ON_DESCRIPTOR, told));
  record({ what: "awake", key, attempt });
  return JSON.parse(told.toString("utf8", 0, length));
}

/** What the campaign tells this process at its start. */
export async function receiveSetup<Setup>(): Promise<Setup> {
  process.on("disconnect", () => process.exit());
  const [setup] = await once(process, "message");
  return setup as Setup;
}

/** From now on this process takes jobs. One that fails has no output. */
export function takeJobs<Jobs extends object>(jobs: Jobs, onError: (error: unknown) => void): void {
  process.on("message", ({ id, job, input }: { id: number; job: string; input: unknown }) => {
    const work = jobs[job as keyof Jobs] as (input: unknown) => Promise<unknown>;
    work(input)
      .then(
        (output) => process.send?.({ id, output }),
        (error: unknown) => {
          onError(error);
          process.send?.({ id });
        },
      )
      .catch(onError);
  });
}

/** Tells the campaign that this process has started. */
export const started = (port = 0): void => void process.send?.({ port });

/** Serves requests. This process has started then. */
export async function serve(listener: RequestListener, port = 0) {
  const server = createServer(listener).listen(port, "127.0.0.1");
  await once(server, "listening");
  started((server.address() as AddressInfo).port);
  return server;
}
