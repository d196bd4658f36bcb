import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import type { HistoryEvent } from "../history/event.ts";
import { createWaker } from "../waker.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A process that stops itself again and again, and what it has reported. */
function startSleepy() {
  const child = spawn(
    process.execPath,
    [
      "-e",
      `const { writeSync } = require("node:fs");
      const report = (what) => writeSync(1, JSON.stringify({ what }) + "\\n");
      process.stdin.on("data", (data) => {
        // Two sleeps at once: no time of the test's process is between them.
        for (const _ of data) {
          report("asleep");
          process.kill(process.pid, "SIGSTOP");
          report("awake");
        }
      });`,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  ended.push(() => child.kill("SIGKILL"));
  const reported: string[] = [];
  const waker = createWaker("worker 1", child, 5_000);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = JSON.parse(line) as HistoryEvent;
    waker.see(event);
    reported.push(event.what);
  });
  return {
    child,
    waker,
    reported,
    sleepTimes: (times: number) => void child.stdin.write("x".repeat(times)),
    sees: (...events: string[]) => expect.poll(() => reported).toEqual(events),
  };
}

test("wakes a process that has stopped itself", async () => {
  const { waker, sleepTimes, sees } = startSleepy();
  sleepTimes(1);
  await sees("asleep");
  await waker.fromLastSleep()();
  await sees("asleep", "awake");
});

test("does not wait for a process that something else has woken already", async () => {
  const { child, waker, reported, sleepTimes, sees } = startSleepy();
  sleepTimes(1);
  await sees("asleep");
  const wake = waker.fromLastSleep();
  // A signal that comes between the report and the stop wakes nothing, so that it is sent again.
  await expect
    .poll(() => {
      child.kill("SIGCONT");
      return reported;
    })
    .toEqual(["asleep", "awake"]);
  await wake();
});

test("the wake from one sleep leaves the process in the next one", async () => {
  const { waker, sleepTimes, sees } = startSleepy();
  sleepTimes(1);
  await sees("asleep");
  const first = waker.fromLastSleep();
  await first();
  sleepTimes(1);
  await sees("asleep", "awake", "asleep");
  await first();
  await sees("asleep", "awake", "asleep");
  await waker.fromLastSleep()();
  await sees("asleep", "awake", "asleep", "awake");
});

test("two sleeps with no time between them both end, also if one wake ends both", async () => {
  const { waker, reported, sleepTimes, sees } = startSleepy();
  sleepTimes(2);
  await sees("asleep");
  const firstSleepIsOver = waker.fromLastSleep()();
  // While this process is busy, the other one wakes and stops again. The next signal wakes it too early.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  await firstSleepIsOver;
  await expect.poll(() => reported.length).toBeGreaterThan(2);
  await waker.fromLastSleep()();
  await sees("asleep", "awake", "asleep", "awake");
});

test("does not wait for a process that has ended", async () => {
  const { child, waker, sleepTimes, sees } = startSleepy();
  sleepTimes(1);
  await sees("asleep");
  child.kill("SIGKILL");
  await waker.fromLastSleep()();
});
