import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showProgress } from "../progress.ts";

/** An output that keeps what is written to it. */
function output(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 20, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the progress is one line on a terminal, cut to its width and removed at the end", () => {
  const { written, stream } = output(true);
  const progress = showProgress(() => "sqlite: 12 of 2000 orders", stream);
  vi.advanceTimersByTime(200);
  expect(written).toEqual(["\r\x1b[Ksqlite: 12 of 2000 "]);
  progress.end();
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("the progress is a plain line now and then elsewhere", () => {
  const { written, stream } = output(false);
  const progress = showProgress(() => "sqlite: 12 of 2000 orders", stream);
  vi.advanceTimersByTime(20_000);
  progress.end();
  vi.advanceTimersByTime(20_000);
  expect(written).toEqual([
    "sqlite: 12 of 2000 orders, 10 s\n",
    "sqlite: 12 of 2000 orders, 20 s\n",
  ]);
});
