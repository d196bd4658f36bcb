import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { CaseRun } from "./case-run.ts";
import {
  type DrillCase,
  type Fault,
  hasKind,
  isManaged,
  processFault,
  type When,
} from "./cases.ts";
import { advance, inSeconds, MAX_WAIT_MS, PROMPT_LIFE, waitUntilRight } from "./day-end.ts";
import { until } from "./machine-pace.ts";
import { act } from "./people.ts";

/** Longer than the service waits for the response to a delivery. */
const STOP_MS = 6_000;
/** How long a fault of the process waits for the slowest order of its wave. */
const MAX_HOLD_MS = 6_000;
/** How long a shop may take to respond to an order. */
const MAX_ORDER_MS = 20_000;
const KILL_INTERVAL_MS = 700;
/** How long after its return a service may still make phones ring. */
const RING_MS = 15_000;

/** What takes the time of a wave. */
function waitOf(cases: readonly DrillCase[], slowMs: number): string {
  const count = `${cases.length} order${cases.length === 1 ? "" : "s"}`;
  const fault = cases.map(processFault).find((one) => one !== undefined);
  if (fault?.kind === "kill") return `${count} (the shop is killed)`;
  if (fault !== undefined) return `${count} (the shop is paused for ${inSeconds(STOP_MS)})`;
  if (cases.some((one) => hasKind(one, "away"))) return `${count} (the service is away for 100 s)`;
  if (cases.some(isManaged)) return `${count} (canceled, refunded, changed, or paid in parts)`;
  const isSlow = cases.some((one) => hasKind(one, "slow"));
  return isSlow ? `${count} (the service takes ${inSeconds(slowMs)})` : count;
}

/**
 * Runs cases side by side, until the shop had time to find out about each of them.
 *
 * @param kills - How often the shop is killed meanwhile.
 * @returns Whether the shop shows what is true for every order, as far as it is known now.
 */
export async function runWave(
  bench: Bench,
  cases: readonly DrillCase[],
  kills: number,
): Promise<boolean> {
  const { sandbox, customers, shop } = bench;
  // Time runs ahead in a wave, when prompts expire and deliveries are retried.
  sandbox.restore({ ...sandbox.snapshot(), now: Date.now() });
  bench.awayUntil = 0;
  const gates = { before: gate(), middle: gate(), after: gate() };
  const runs = cases.map((one) => new CaseRun(one, bench, (when) => gates[when].opened));
  const rivals = runs.filter((run) => run.case.act === "lastPiece");
  for (const run of rivals) run.rivals = rivals.filter((other) => other !== run);
  bench.runs.push(...runs);
  bench.active = runs;
  bench.waitsFor = waitOf(cases, bench.settings.slowMs);
  const placed = Promise.all(
    runs.map(async (run) => {
      run.askOther = () => askOther(bench, run);
      await Promise.all([customers.order(run), act({ scene: bench, customers, run })]);
    }),
  );
  const fault = cases.map(processFault).find((one) => one !== undefined);
  if (fault) await disturb(bench, fault, placed, (when) => gates[when].open());
  for (let count = 0; count < kills && bench.down === undefined; count++) {
    await sleep(KILL_INTERVAL_MS);
    if (!bench.isEnding) await bench.survive(shop.kill());
  }
  await placed;
  if (bench.isEnding) return false;
  // A shop may answer its customer first, and ask the service afterwards.
  if (cases.some((one) => hasKind(one, "away"))) {
    await until(() => bench.awayUntil > 0, MAX_ORDER_MS);
  }
  if (bench.awayUntil > 0) await sleep(bench.awayUntil - performance.now() + RING_MS);
  const isRight = await waitUntilRight(bench, MAX_WAIT_MS);
  for (const run of runs) await run.atEnd?.();
  return isRight && runs.every(({ problems }) => problems.size === 0);
}

/** The same order reaches another process of the shop, and its customer looks at it there. */
async function askOther({ customers, shops }: Bench, run: CaseRun): Promise<void> {
  await Promise.all([
    customers.click(run, { shop: shops[1] }),
    ...[1, 2, 3].map(() => customers.watch(run)),
  ]);
}

/** Holds what waits until it is opened. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/**
 * Causes the fault of the process, which all cases of a wave have, when each of them waits for it at its
 * moment.
 *
 * @param release - Lets go on what waits at a moment. A case that comes later has no fault.
 */
async function disturb(
  bench: Bench,
  fault: Fault,
  placed: Promise<unknown>,
  release: (when: When) => void,
): Promise<void> {
  const { active: runs, shop } = bench;
  const isFull = () => runs.every(({ held }) => held !== undefined);
  await Promise.race([placed, until(isFull, MAX_ORDER_MS)]);
  const isAnswered = () => runs.every((run) => run.payments.length > 0 && !run.isAnswering);
  await until(() => isFull() || isAnswered(), MAX_HOLD_MS);
  // Prompts that the customers ignore expire. The clock waits for the deliveries, which wait here.
  const isNone = runs.every(({ held }) => held === undefined);
  const expired = isNone ? advance(bench, [PROMPT_LIFE]) : undefined;
  await Promise.race([expired, until(isFull, MAX_HOLD_MS)]);
  await until(isFull, MAX_HOLD_MS / 6);
  const waiting = runs.filter(({ held }) => held !== undefined);
  // What is in its middle must still be there when the fault comes: it goes on last.
  for (const when of ["after", "middle"] as const) {
    const held = waiting.flatMap((run) => run.held ?? []);
    const steps = held.flatMap((one) => (one.when === when ? [one.step] : []));
    if (steps.length > 0) release(when);
    await Promise.all(steps);
  }
  const releaseAll = () => {
    for (const when of ["before", "middle", "after"] as const) release(when);
  };
  if (bench.isEnding) return releaseAll();
  if (waiting.length > 0 && fault.kind === "kill") await bench.survive(shop.kill());
  // What waits goes on to a process that does not read it yet.
  else if (waiting.length > 0) await shop.pause(STOP_MS, releaseAll);
  releaseAll();
  for (const run of waiting) run.happen(processFault(run.case));
  await expired;
}
