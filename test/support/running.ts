// A test that waits for what a process does ends with the process, and shows what it printed.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded } from "../../src/drill/child.ts";

const LIMIT_MS = 240_000;
const POLL_MS = 20;

/** A process, and what it has printed so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

/**
 * Waits until a condition holds that a process brings about.
 *
 * @throws {Error} with what the process printed, if it has ended before, or if it takes too long.
 */
export async function untilIt(
  { child, printed }: Running,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    // What it did last may be seen only after its end.
    const isEnded = hasEnded(child);
    if (await condition()) return;
    const isLate = performance.now() > deadline;
    if (isEnded || isLate) {
      const how = `The process ${isEnded ? `ended (${child.signalCode ?? child.exitCode})` : "still runs"}`;
      throw new Error(`${how}, and this does not hold: ${condition}\n${printed()}`);
    }
    await sleep(POLL_MS);
  }
}

/** Waits until a process answers requests. */
export const untilItAnswers = (running: Running, url: string): Promise<void> =>
  untilIt(running, () => fetch(url).then(Boolean, () => false));
