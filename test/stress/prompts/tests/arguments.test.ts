import { describe, expect, test } from "vitest";
import { readOptions } from "../arguments.ts";

describe("the options of a campaign", () => {
  test("default to two thousand payments on every store", () => {
    expect(readOptions([])).toEqual({
      payments: 2000,
      seed: "1",
      stores: ["memory", "sqlite", "redis", "postgres"],
      workers: 4,
      kills: 40,
      pauses: true,
      clockSteps: true,
      engineFaults: true,
      history: undefined,
      check: undefined,
      sabotage: undefined,
    });
    expect(readOptions(["--payments", "7", "--store", "redis", "--kills", "0"])).toMatchObject({
      payments: 7,
      stores: ["redis"],
      kills: 0,
    });
  });

  test("switch off what is on by default", () => {
    expect(readOptions(["--no-pauses", "--no-clock-steps", "--no-engine-faults"])).toMatchObject({
      pauses: false,
      clockSteps: false,
      engineFaults: false,
    });
    expect(readOptions(["--pauses"])).toMatchObject({ pauses: true });
  });

  test.each([
    [["--payments", "0"], "--payments is 0. It takes a whole number from 1 to 50000."],
    [["--payments", "1e3"], "--payments is 1e3."],
    [["--workers", "many"], "--workers is many."],
    [["--kills", "2001"], "--kills is 2001. It takes a whole number from 0 to 2000."],
    [["--store", "oracle"], "--store is oracle. It takes memory, sqlite, redis, postgres or all."],
    [
      ["--sabotage", "all"],
      "--sabotage is all. It takes no-deadline, early-resolve, forgetful-store.",
    ],
    [["--lease", "100"], "--lease"],
    [["--payment", "7"], "--payment"],
    [["7"], "7"],
  ])("are rejected when they are wrong: %j", (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
    expect(() => readOptions(args)).toThrow(TypeError);
  });
});
