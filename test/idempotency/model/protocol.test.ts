import { describe, expect, test } from "vitest";
import { type Exploration, explore } from "./explore.ts";
import { PAST_LEASE, PROTOCOL, type Protocol } from "./state.ts";

function exploreAndPrint(name: string, changes: Partial<Protocol>): Exploration {
  const started = performance.now();
  const exploration = explore({ ...PROTOCOL, ...changes });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  // biome-ignore lint/suspicious/noConsole: how much was visited is a part of the proof
  console.log(`${name}: ${exploration.states} states in ${seconds} s`);
  return exploration;
}

describe("the protocol of one idempotency key", () => {
  // `protocol.long.test.ts` has two processes that try twice.
  test("makes at most one prompt in every order of steps of three processes that try once, with one fault", () => {
    const size = { processes: 3, tries: 1, faults: 1 };
    const { violation, states } = exploreAndPrint("three processes", size);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(30_000);
  });

  /** Each part of the protocol is there for a reason: without it, the model finds two prompts. */
  const WITHOUT_A_PART: readonly [name: string, changes: Partial<Protocol>][] = [
    ["without a look at the clocks as the bytes leave", { deadline: [] }],
    ["that looks only at the monotonic clock", { deadline: ["monotonic"] }],
    ["that looks only at the wall clock", { deadline: ["wall"] }],
    [
      "in which an attempt is looked for and freed as soon as its lease is over",
      { notSentFrom: PAST_LEASE, lookFrom: PAST_LEASE },
    ],
    ["in which the look may come before the lease is safely over", { lookFrom: PAST_LEASE }],
    ["that believes a response which says no and names a payment", { contradiction: "rejected" }],
  ];

  test.each(WITHOUT_A_PART)("prompts twice in a model %s", (name, changes) => {
    const { violation } = exploreAndPrint(name, changes);
    expect(violation?.what).toBe("2 prompts for one key");
  });

  /** The page "Charge a customer only once" names these limits. */
  const LIMITS: readonly [name: string, changes: Partial<Protocol>][] = [
    ["both clocks of a process are wrong", { bothClocksMayBeWrong: true }],
    ["a process pauses after its last look at the clocks", { mayPauseAfterLook: true }],
    ["the clock of the store jumps forward", { storeClockMayJump: true }],
  ];

  test.each(LIMITS)("does not hold if %s: a limit that is documented", (name, changes) => {
    const { violation } = exploreAndPrint(name, changes);
    expect(violation?.what).toBe("2 prompts for one key");
  });

  test("shows the way to a second prompt, step by step", () => {
    const { violation } = explore({ ...PROTOCOL, deadline: [] });
    expect(violation?.path).toEqual([
      "begin attempt 1",
      "time passes",
      "attempt 1: send",
      "time passes",
      "time passes",
      "look: none",
      "attempt 1: prompt",
      "resolve as not sent",
      "begin attempt 2",
      "attempt 2: send",
      "attempt 2: prompt",
    ]);
  });
});
