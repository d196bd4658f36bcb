import { describe, expect, test } from "vitest";
import { type Asked, type Found, outcomeOf } from "../check.ts";

const asked: Asked = {
  ...{ engine: "redis", mode: "start", events: 4_000, kills: 3, seed: "1" },
  rounds: 2,
};

const failuresOf = (found: Found) => outcomeOf(asked, found).breaches.map(({ what }) => what);

const good: Found = {
  sent: 4_000,
  acknowledged: 4_000,
  dropped: 0,
  open: 0,
  lost: 0,
  invented: 0,
  duplicated: 0,
  kills: 3,
  deaths: [],
  drainers: 0,
  faults: [["all connections cut", 2]],
  deliveries: 4_500,
};

describe("the result of a campaign of inboxes", () => {
  test("is good when every promise held and everything planned happened", () => {
    expect(failuresOf(good)).toEqual([]);
  });

  test.each<[Partial<Found>, string]>([
    [{ acknowledged: 3_999 }, "Events were never acknowledged."],
    [{ lost: 1 }, "Acknowledged events were lost."],
    [{ open: 1 }, "Orders stayed open."],
    [{ invented: 1 }, "Events had an effect and were never sent."],
    [{ duplicated: 1 }, "Events had their effect more than once."],
    [{ deaths: ["out of memory"] }, "Receiver processes died by themselves. out of memory"],
    [{ kills: 2 }, "Kills that were planned did not happen."],
    [
      { faults: [["all connections cut", 1]] },
      "A fault did not happen as often as planned: all connections cut.",
    ],
  ])("is bad, and says why: %o", (broken, sentence) => {
    expect(failuresOf({ ...good, ...broken })).toEqual([sentence]);
  });
});
