import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Progress, showProgress } from "../../../src/cli/terminal/progress.ts";
import type { StatusOutput } from "../../../src/cli/terminal/status-line.ts";

const CLEAR = "\r\u001b[2K";

/** An output that keeps what is written to it. */
function recordedOutput(isTTY: boolean, columns = 20) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, output: { isTTY, columns, write } as unknown as StatusOutput };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the progress is one line on a terminal, cut to its width and removed at the end", () => {
  const { written, output } = recordedOutput(true);
  const progress = showProgress({ line: () => "sqlite: 12 of 2000 orders", output });
  vi.advanceTimersByTime(200);
  expect(written).toEqual([CLEAR, "sqlite: 12 of 2000 "]);
  progress.end();
  expect(written.at(-1)).toBe(CLEAR);
});

test("the progress is a plain line periodically elsewhere", () => {
  const { written, output } = recordedOutput(false);
  const progress = showProgress({ line: () => "sqlite: 12 of 2000 orders", output });
  vi.advanceTimersByTime(20_000);
  progress.end();
  vi.advanceTimersByTime(20_000);
  expect(written).toEqual([
    "sqlite: 12 of 2000 orders, 10 s\n",
    "sqlite: 12 of 2000 orders, 20 s\n",
  ]);
});

test("the progress says how long the rest takes, once enough is done to know it", () => {
  const { written, output } = recordedOutput(false);
  let share = 0.01;
  const progress = showProgress({ line: () => "events", share: () => share, output });
  vi.advanceTimersByTime(10_000);
  share = 0.25;
  vi.advanceTimersByTime(20_000);
  share = 1;
  vi.advanceTimersByTime(40_000);
  progress.end();
  expect(written).toEqual([
    "events, 10 s\n",
    "events, 20 s, about 1 min 0 s left\n",
    "events, 30 s, about 1 min 30 s left\n",
    "events, 40 s\n",
    "events, 50 s\n",
    "events, 1 min 0 s\n",
    "events, 1 min 10 s\n",
  ]);
});

test("an update a moment after the last one writes nothing", () => {
  const { written, output } = recordedOutput(true);
  const progress = new Progress({ line: () => "events", output });
  progress.update();
  vi.advanceTimersByTime(200);
  progress.update();
  progress.update();
  expect(written).toEqual([CLEAR, "events, 0 s"]);
});

test("a note stays on the terminal, and cannot control it", () => {
  const { written, output } = recordedOutput(true);
  const progress = new Progress({ line: () => "events", output });
  progress.note("10 kills \u001b[31m");
  expect(written).toEqual([CLEAR, "10 kills \\u001b[31m\n"]);
});
