import type { Bench } from "./bench.ts";
import type { CaseRun } from "./case-run.ts";
import { pace, until } from "./machine-pace.ts";
import { brokenPromises } from "./promises.ts";

/** How long a shop gets after a wave, and after its restart, if all of its orders were right before. */
export const MAX_WAIT_MS = 3_000;
/** How long the slowest customer takes to answer, at most. */
const MAX_ANSWER_MS = 60_000;
const CONCURRENCY = 8;
const POLL_MS = 50;
/** A prompt that is ignored expires before. */
export const PROMPT_LIFE = "61s";
/** The life of a prompt, then the retry schedule of the deliveries. */
const CLOCK_STEPS = [PROMPT_LIFE, "11s", "61s", "301s", "1801s", "7201s"];

export const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/**
 * Runs what a day brings: time for the shop's timers, a restart, the nightly job. Then checks every
 * order.
 *
 * @throws {Error} if the nightly job fails.
 */
export async function finishDay(bench: Bench, quietMs: number): Promise<readonly CaseRun[]> {
  const { shops, customers, runs } = bench;
  bench.isEnding = true;
  bench.active = runs;
  bench.waitsFor = `the shop's timers at the end of the day, at most ${inSeconds(quietMs)}`;
  const isRight = bench.down === undefined && (await waitUntilRight(bench, quietMs));
  if (bench.down === undefined) {
    bench.waitsFor = "the restart at the end of the day";
    await Promise.all(shops.map((shop) => shop.close()));
    for (const shop of shops) await bench.survive(shop.start());
  }
  if (bench.down !== undefined) {
    // One order is blamed for it: what became of the others cannot be asked.
    for (const run of runs) run.skipped ??= "the shop did not come back";
    return runs;
  }
  bench.waitsFor = "the nightly job";
  await customers.runNightly();
  const maxMs = isRight ? MAX_WAIT_MS : quietMs;
  bench.waitsFor = `the shop after its restart, at most ${inSeconds(maxMs)}`;
  await waitUntilRight(bench, maxMs);
  bench.active = [];
  // On a busy machine a response takes long: what came to nothing is asked for once more, in peace.
  await readAll(
    bench,
    runs.filter(({ look }) => look.shown.startsWith("nothing")),
  );
  for (const run of runs) {
    const { shown, effects } = run.look;
    run.note("shop", `says ${shown}${effects === undefined ? "" : `, goods: ${effects}`}`);
    for (const broken of brokenPromises(run)) run.blame(...broken);
  }
  return runs;
}

/** Reads orders, a few at a time: hundreds at once would slow down the shop, and be read as its fault. */
async function readAll({ customers }: Bench, runs: readonly CaseRun[]): Promise<void> {
  const queue = runs.values();
  const work = async () => {
    for (const run of queue) await customers.read(run);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Lets time pass until the shop shows what is true for every order. Resolves with false after `maxMs`. */
export async function waitUntilRight(bench: Bench, maxMs: number): Promise<boolean> {
  let wrong = bench.active;
  const isRight = async () => {
    await advance(bench, CLOCK_STEPS);
    await readAll(bench, wrong);
    wrong = bench.active.filter((run) => brokenPromises(run).length > 0);
    return wrong.length === 0;
  };
  const began = pace.nowMs;
  if (await until(isRight, maxMs, POLL_MS)) return true;
  if (pace.nowMs - began < maxMs) {
    for (const run of wrong) run.wasDelayed(`the shop had no time to end the order`);
  }
  return false;
}

/** Moves the clock: ignored prompts expire, and deliveries are retried. */
export async function advance({ active, sandbox }: Bench, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    // A prompt must not expire while its customer is about to answer it.
    await until(() => active.every((run) => !run.isAnswering), MAX_ANSWER_MS);
    const isPending = sandbox.deliveries.all().some(({ state }) => state === "pending");
    if (!isPending && !active.some((run) => run.isPrompted)) return;
    await sandbox.clock.advance(step);
  }
}
