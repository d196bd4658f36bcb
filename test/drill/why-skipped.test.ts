import { expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { parseSettings, type RawSettings } from "../../src/drill/drill-settings.ts";
import { whySkipped } from "../../src/drill/why-skipped.ts";

const BARE = { start: "node shop.mjs", order: 'POST /orders {"amount":{amount}}' };
const ALL = {
  ...BARE,
  again: "POST /orders/{id}/again",
  "last-piece": "POST /orders {}",
  cancel: "POST /orders/{id}/cancel",
  refund: "POST /orders/{id}/refund",
  update: "PUT /orders/{id} {amount}",
  "part-payments": true,
  processes: "2",
};
const seen = new Set(["start", "initiated", "final", "read"] as const);

/** Why cases are skipped, with the acts of those that are. */
function skippedBy(raw: RawSettings) {
  const settings = parseSettings(raw);
  const reasons: Record<string, Set<string>> = {};
  for (const one of allCases()) {
    const why = whySkipped(one, settings, seen);
    if (why === undefined) continue;
    reasons[why] ??= new Set();
    reasons[why].add(one.act ?? one.group);
  }
  return Object.fromEntries(Object.entries(reasons).map(([why, acts]) => [why, [...acts]]));
}

test("a shop that has everything runs every case", () => {
  expect(skippedBy(ALL)).toEqual({});
});

test("what a shop does not have is the reason why its cases are not run", () => {
  expect(skippedBy(BARE)).toEqual({
    "--again is not given": [
      "again",
      "tabs",
      "lateWhileWaiting",
      "lateAfterPaying",
      "failedWhileWaiting",
    ],
    "--processes 2 is not given": ["processes"],
    "--last-piece is not given": ["lastPiece"],
    "--cancel is not given": [
      "cancelOpen",
      "cancelLate",
      "cancelMeanwhile",
      "cancelAsPaid",
      "cancelTwice",
    ],
    "--refund is not given": ["refund", "refundAgain", "refundTwice"],
    "--update is not given": ["updateOpen", "updateMeanwhile"],
    "--part-payments is not given": ["part", "partMeanwhile"],
  });
  expect(skippedBy({ ...ALL, without: "clicks" })).toEqual({
    "--without clicks is given": ["clicks"],
  });
});
