import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { Poller } from "../../src/internal/poller.ts";

/** A poller whose turns are counted, and end when they are let go. */
function pollerWithTurns() {
  const ends: (() => void)[] = [];
  const seen = { begun: 0, running: 0, most: 0 };
  const poller = new Poller(async () => {
    seen.begun++;
    seen.most = Math.max(seen.most, ++seen.running);
    await new Promise<void>((resolve) => ends.push(resolve));
    seen.running--;
  });
  pollers.push(poller);
  return { poller, seen, endTurn: () => ends.shift()?.() };
}

const pollers: Poller[] = [];

afterEach(() => {
  for (const poller of pollers.splice(0)) poller.stop();
});

test("turns do not overlap, and those that are asked for while one runs are one", async () => {
  const { poller, seen, endTurn } = pollerWithTurns();
  const first = poller.now();
  const others = [poller.now(), poller.now(), poller.now()];
  expect(seen).toMatchObject({ begun: 1, most: 1 });
  endTurn();
  await wait(1);
  expect(seen).toMatchObject({ begun: 2, most: 1 });
  endTurn();
  await Promise.all([first, ...others]);
  expect(seen).toMatchObject({ begun: 2, running: 0, most: 1 });
});

test("a turn that is asked for while one runs has ended when its promise resolves", async () => {
  const { poller, seen, endTurn } = pollerWithTurns();
  void poller.now();
  let isOver = false;
  const later = poller.now().then(() => {
    isOver = true;
  });
  endTurn();
  await wait(1);
  expect([seen.begun, isOver]).toEqual([2, false]);
  endTurn();
  await later;
});

test("what is asked for soon in one turn of the event loop is one turn", async () => {
  const { poller, seen } = pollerWithTurns();
  poller.soon();
  poller.soon();
  expect([poller.isSoon, seen.begun]).toEqual([true, 0]);
  await wait(5);
  expect([poller.isSoon, seen.begun]).toEqual([false, 1]);
});

test("the last time that was said counts", async () => {
  const { poller, seen } = pollerWithTurns();
  poller.in(1);
  poller.in(60_000);
  await wait(20);
  expect(seen.begun).toBe(0);
});

test("a poller that was stopped runs no turn any more", async () => {
  const { poller, seen } = pollerWithTurns();
  poller.in(1);
  poller.stop();
  poller.in(1);
  await poller.now();
  await wait(20);
  expect(seen.begun).toBe(0);
});
