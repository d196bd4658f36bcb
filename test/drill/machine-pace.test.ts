import { afterAll, beforeAll, expect, test } from "vitest";
import { CaseRun, type Scene } from "../../src/drill/case-run.ts";
import { allCases } from "../../src/drill/cases.ts";
import { pace, until } from "../../src/drill/machine-pace.ts";
import { forgive, isSpoiled, PROMISES } from "../../src/drill/promises.ts";

const ENDS = "every order ends";
const SECRET = "no key, no secret and no full phone number is printed or answered";

/** A machine that has no time for this process. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let stop = () => {};
beforeAll(() => {
  stop = pace.start();
});
afterAll(() => stop());

const newRun = () => {
  const scene = { settings: { phones: "0190" }, hasFaults: true } as unknown as Scene;
  return new CaseRun(allCases()[0] as never, scene);
};

test("on a machine that has no time for the drill, less time counts than passes", async () => {
  const began = performance.now();
  const counted = pace.nowMs;
  let looks = 0;
  const isSeen = () => {
    block(300);
    return ++looks === 20;
  };
  expect(await until(isSeen, 60_000)).toBe(true);
  expect(pace.nowMs - counted).toBeLessThan((performance.now() - began) / 1.5);
  expect(pace.wasBusySince(began)).toBe(true);
  expect(pace.scale(1_000)).toBeGreaterThan(1_500);
  expect(await until(() => false, 0)).toBe(false);
});

test("what a shop without time does, too, is forgiven if something came late", () => {
  const onTime = newRun();
  onTime.blame(ENDS, "the order is still open at the end");
  expect(isSpoiled(onTime)).toBe(false);

  const late = newRun();
  late.wasDelayed("its service took 2.0 s for POST /x");
  expect(isSpoiled(late)).toBe(false);
  late.blame(ENDS, "the order is still open at the end");
  expect(isSpoiled(late)).toBe(true);
  forgive(late);
  expect([late.problems.size, late.undecided]).toEqual([0, "its service took 2.0 s for POST /x"]);
  expect(late.story.at(-1)?.text).toContain("its service took 2.0 s");
});

test("a fact stays wrong on any machine", () => {
  const facts = PROMISES.filter(({ isTimed }) => !isTimed).map(({ name }) => name);
  expect(facts).toContain(SECRET);
  for (const name of facts) {
    const run = newRun();
    run.wasDelayed("its service took 2.0 s for POST /x");
    run.blame(name, "what was seen");
    expect(isSpoiled(run)).toBe(false);
    run.blame(ENDS, "the order is still open at the end");
    forgive(run);
    expect([[...run.problems.keys()], run.undecided]).toEqual([[name], undefined]);
  }
});
