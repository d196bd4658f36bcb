import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Progress, type ProgressOutput, showProgress } from "../../../src/cli/terminal/progress.ts";

const CLEAR = "\r\u001b[2K";

/** An output that keeps what is written to it. */
function recordedOutput(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, output: { isTTY, columns, write } as unknown as ProgressOutput };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the progress is one line on a terminal, cut to its width and removed at the end", () => {
  const { written, output } = recordedOutput(true, 20);
  const progress = showProgress({ line: () => "sqlite: 12 of 2000 orders", output });
  vi.advanceTimersByTime(1_800);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(written).toEqual([CLEAR, "sqlite: 12 of 2000 "]);
  progress.end();
  expect(written.at(-1)).toBe(CLEAR);
});

test("the progress is a plain line a minute elsewhere", () => {
  const { written, output } = recordedOutput(false);
  const progress = showProgress({ line: () => "sqlite: 12 of 2000 orders", output });
  vi.advanceTimersByTime(120_000);
  progress.end();
  vi.advanceTimersByTime(120_000);
  expect(written).toEqual([
    "sqlite: 12 of 2000 orders, 60 s\n",
    "sqlite: 12 of 2000 orders, 2 min\n",
  ]);
});

test("the progress says how long the rest takes, once enough is done to know it", () => {
  const { written, output } = recordedOutput(false);
  let share = 0.01;
  const progress = showProgress({ line: () => "events", share: () => share, output });
  vi.advanceTimersByTime(60_000);
  share = 0.25;
  vi.advanceTimersByTime(60_000);
  share = 1;
  vi.advanceTimersByTime(60_000);
  progress.end();
  expect(written).toEqual(["events, 60 s\n", "events, about 6 min left\n", "events, 3 min\n"]);
});

test("a bar shows the share on a terminal", () => {
  const { written, output } = recordedOutput(true);
  const progress = showProgress({ line: () => "3 of 6 events", share: () => 0.5, output });
  vi.advanceTimersByTime(2_000);
  progress.end();
  expect(written[1]).toBe("[##########..........] 3 of 6 events, about 2 s left");
});

test("with --json, nothing is written but notes", () => {
  const { written, output } = recordedOutput(false);
  const progress = showProgress({ line: () => "events", isHidden: true, output });
  vi.advanceTimersByTime(120_000);
  progress.note("It stops.");
  progress.end();
  expect(written).toEqual(["It stops.\n"]);
});

test("an update a moment after the last one writes nothing", () => {
  const { written, output } = recordedOutput(true);
  const progress = new Progress({ line: () => "events", output });
  progress.update();
  vi.advanceTimersByTime(2_000);
  progress.update();
  progress.update();
  expect(written).toEqual([CLEAR, "events, 2 s"]);
});

test("a note stays on the terminal, and cannot control it", () => {
  const { written, output } = recordedOutput(true);
  const progress = new Progress({ line: () => "events", output });
  progress.note("10 kills \u001b[31m");
  expect(written).toEqual([CLEAR, "10 kills \\u001b[31m\n"]);
});
