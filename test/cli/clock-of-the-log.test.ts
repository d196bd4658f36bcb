import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "./command-line.ts";
import { malipo, startCommand } from "./in-process.ts";

// Virtual time stands still at 09:00, which the clock of the machine shows only once a day.
const TIME = /^(\d\d:\d\d:\d\d)\+03:00 {2}(?:payment|webhook|request) /gm;
const timesIn = (text: string) => new Set([...text.matchAll(TIME)].map(([, time]) => time));

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test("the log has one clock, the sandbox's, in the order of what happened", async () => {
  const sandbox = startCommand([
    ...["sandbox", "--port", "0", "--clock", "virtual", "--seed", "log", "--webhook", receiver.url],
  ]);
  await expect.poll(sandbox.output).toContain("Ctrl-C");
  const url = /this machine: (\S+)\//.exec(sandbox.output())?.[1] ?? "";
  const { stdout } = await malipo(["env", "--json", "--url", url]);
  const env = JSON.parse(stdout);
  await malipo(["payments", "initiate", "--amount", "5", "--phone", "0712345678"], { env });
  await malipo(["clock", "advance", "30s", "--url", url]);
  await malipo(["phone", "approve", "0712345678", "--url", url]);
  await expect.poll(sandbox.output).toMatch(/webhook .*payment\.completed.*200/);
  expect(timesIn(sandbox.output())).toEqual(new Set(["09:00:00", "09:00:30"]));
  const logs = (await malipo(["logs", "--once", "--url", url])).stdout;
  expect(timesIn(logs)).toEqual(new Set(["09:00:00", "09:00:30"]));
  expect(logs.split("\n").map((line) => line.slice(0, 25).trim())).toEqual([
    expect.stringMatching(/request/),
    "09:00:00+03:00  webhook",
    "09:00:30+03:00  webhook",
    "",
  ]);
  await sandbox.stop();
});
