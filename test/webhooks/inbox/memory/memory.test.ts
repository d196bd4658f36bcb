import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { memoryInbox } from "../../../../src/webhooks/inbox/memory/inbox.ts";
import { newDelivery, until } from "../../../suites/inbox-stage.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const EVENTS = 40_000;

test("a processed event leaves less than 400 bytes in memory", async () => {
  const inbox = memoryInbox();
  let processed = 0;
  await inbox.start({
    run: async () => void processed++,
    concurrency: 8,
    onError: () => {},
  });
  const process = async (from: number) => {
    for (let at = 0; at < EVENTS; at++) await inbox.accept(newDelivery(from + at));
    await until(() => processed >= from + EVENTS);
    await until(async () => (await inbox.stats?.())?.running === 0);
  };
  await process(0);
  const before = heapBytes();
  await process(EVENTS);
  expect((heapBytes() - before) / EVENTS).toBeLessThan(400);
  await inbox.stop(100);
});
