import { expect, test, vi } from "vitest";
import { EngineAwayError } from "../../../src/storage/engine-away.ts";
import { reportOncePerMinute } from "../../../src/webhooks/inbox/repeated-errors.ts";

test("an error that repeats is reported once a minute, and each other kind too", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const seen: unknown[] = [];
  const report = reportOncePerMinute((error) => seen.push(String(error)));
  for (let at = 0; at < 1_000; at++) report(new Error(`failed at port ${at}`));
  report(new TypeError("failed at port 1"));
  report(undefined);
  vi.advanceTimersByTime(60_000);
  report(new Error("failed at port 7"));
  expect(seen).toEqual([
    "Error: failed at port 0",
    "TypeError: failed at port 1",
    "undefined",
    "Error: failed at port 7",
  ]);
  vi.useRealTimers();
});

test("an engine that is away is one error a minute, however it fails", () => {
  const seen: unknown[] = [];
  const report = reportOncePerMinute((error) => seen.push(error));
  const first = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  for (const error of [first, new Error("Connection is closed."), new EngineAwayError("away")]) {
    report(error);
  }
  expect(seen).toEqual([first]);
});

test("errors of more kinds than are remembered are all reported", () => {
  const seen: unknown[] = [];
  const report = reportOncePerMinute((error) => seen.push(error));
  for (let at = 0; at < 150; at++) report(new Error("x".repeat(at)));
  expect(seen).toHaveLength(150);
});
