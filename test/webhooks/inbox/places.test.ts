import { describe, expect, test } from "vitest";
import { Places } from "../../../src/webhooks/inbox/places.ts";

/** How many places each merchant takes, one after another, until it may take no more. */
function takenInTurn(count: number, merchants: readonly (string | undefined)[]): number[] {
  const places = new Places(count);
  return merchants.map((merchant) => {
    let taken = 0;
    while (places.hasOneFor(merchant)) {
      places.take(merchant);
      taken++;
    }
    return taken;
  });
}

describe("the places of a process", () => {
  test.each([
    [1, [1, 0]],
    [2, [1, 1, 0]],
    [3, [2, 1, 0]],
    [8, [4, 2, 1, 1, 0]],
    [100, [50, 25, 13, 6, 3, 2, 1, 0]],
  ])("%i of them: a merchant has at most half of those that the others left", (count, expected) => {
    const merchants = expected.map((_, at) => `shop-${at}`);
    expect(takenInTurn(count, merchants)).toEqual(expected);
  });

  test("are all for events without a merchant", () => {
    expect(takenInTurn(8, [undefined, undefined])).toEqual([8, 0]);
  });

  test("that are given back may be taken again", () => {
    const places = new Places(2);
    places.take("a");
    expect(places.hasOneFor("a")).toBe(false);
    expect(places.isTakenBy("a")).toBe(true);
    places.giveBack("a");
    expect([places.free, places.isTakenBy("a"), places.hasOneFor("a")]).toEqual([2, false, true]);
  });
});
