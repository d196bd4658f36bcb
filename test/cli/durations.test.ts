import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { readTimeout } from "../../src/cli/input/flag-values.ts";
import { DURATION_UNITS, durationMs } from "../../src/internal/duration.ts";
import { malipo, startSandbox } from "./in-process.ts";

const timeout = (text: string) => readTimeout({ timeout: text }, "timeout");

describe("a duration", () => {
  test.each(DURATION_UNITS)("of a flag takes the unit %s, as the sandbox does", (unit) => {
    expect(timeout(`1${unit}`)).toBe(durationMs(`1${unit}`));
    expect(timeout(`1.5${unit}`)).toBe(durationMs(`1.5${unit}`));
  });

  test.each(["", "5", "0s", "-5s", "5 parsecs", "soon", "1e3s"])("of a flag is not %j", (text) => {
    expect(() => timeout(text)).toThrow("--timeout");
  });

  test("of a flag is not longer than a timer can count", () => {
    expect(() => timeout("25d")).toThrow("at most 24d");
  });

  test("has the same units in `clock advance` and in `payments wait --timeout`", async () => {
    const sandbox = await startSandbox(["--clock", "virtual"]);
    const payment = { amount: 50, phone: "0712345678" };
    const { data } = await (await sandbox.call("POST", "/payments/initiate", payment)).json();
    await malipo(["phone", "approve", payment.phone, ...sandbox.url]);
    for (const unit of DURATION_UNITS) {
      const advanced = await malipo(["clock", "advance", `1${unit}`, ...sandbox.url]);
      expect(advanced.code).toBe(EXIT.ok);
      const wait = ["payments", "wait", data.reference, "--timeout", `1${unit}`];
      const waited = await malipo(wait, { env: sandbox.env });
      // One millisecond may be over before the payment is read.
      expect([EXIT.ok, EXIT.pending]).toContain(waited.code);
    }
    await sandbox.stop();
  });
});
