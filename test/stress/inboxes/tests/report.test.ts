import { describe, expect, test } from "vitest";
import { type Asked, failuresOf } from "../report.ts";
import type { SoakResult } from "../soak.ts";

const asked: Asked = { inbox: "bullmq", mode: "start", events: 4_000, kills: 3, seed: 1 };

const good: SoakResult = {
  sent: 4_000,
  acknowledged: 4_000,
  dropped: 0,
  open: 0,
  lost: 0,
  invented: 0,
  duplicated: 0,
  kills: 3,
  deaths: 0,
  drainers: 0,
  faults: new Map([["all connections cut", 2]]),
  deliveries: 4_500,
  seconds: 60,
};

describe("the result of a soak", () => {
  test("is good when every promise held and everything planned happened", () => {
    expect(failuresOf(asked, good)).toEqual([]);
  });

  test.each<[Partial<SoakResult>, string]>([
    [{ acknowledged: 3_999 }, "Events were never acknowledged."],
    [{ lost: 1 }, "Acknowledged events were lost."],
    [{ open: 1 }, "Orders stayed open."],
    [{ invented: 1 }, "Events had an effect and were never sent."],
    [{ duplicated: 1 }, "Events had their effect more than once."],
    [{ deaths: 1 }, "Receiver processes died by themselves."],
    [{ kills: 2 }, "Kills that were planned did not happen."],
    [
      { faults: new Map([["all connections cut", 1]]) },
      "A fault did not happen as often as planned: all connections cut.",
    ],
  ])("is bad, and says why: %o", (broken, sentence) => {
    expect(failuresOf(asked, { ...good, ...broken })).toEqual([sentence]);
  });
});
