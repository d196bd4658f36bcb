import { describe, expect, test } from "vitest";
import { inboxes } from "../../inboxes/subject.ts";
import { orders } from "../../orders/subject.ts";
import { prompts } from "../../prompts/subject.ts";
import { SABOTAGES } from "../../sabotages.ts";
import { optionsOf, readOptions, usageOf } from "../arguments.ts";

const read = (...args: readonly string[]) => readOptions(optionsOf(prompts), args);

describe("the options of a campaign", () => {
  test("default to two thousand payments on every store", () => {
    expect(read()).toEqual({
      payments: 2000,
      seed: "1",
      store: ["memory", "sqlite", "redis", "postgres", "mysql"],
      workers: 4,
      kills: undefined,
      pauses: true,
      "clock-steps": true,
      "engine-faults": true,
      history: undefined,
      check: undefined,
      sabotage: undefined,
    });
    expect(read("--payments", "7", "--store", "redis", "--kills", "0")).toMatchObject({
      payments: 7,
      store: ["redis"],
      kills: 0,
    });
  });

  test("switch off what is on by default", () => {
    expect(read("--no-pauses", "--no-clock-steps", "--no-engine-faults")).toMatchObject({
      pauses: false,
      "clock-steps": false,
      "engine-faults": false,
    });
    expect(read("--pauses")).toMatchObject({ pauses: true });
  });

  test.each([
    [["--payments", "0"], "--payments is 0. It takes a whole number from 1 to 50000."],
    [["--payments", "1e3"], "--payments is 1e3."],
    [["--workers", "many"], "--workers is many."],
    [["--kills", "50001"], "--kills is 50001. It takes a whole number from 0 to 50000."],
    [
      ["--store", "oracle"],
      "--store is oracle. It takes memory, sqlite, redis, postgres, mysql, all.",
    ],
    [
      ["--sabotage", "all"],
      "--sabotage is all. It takes no-deadline, early-resolve, forgetful-store.",
    ],
    [["--lease", "100"], "--lease"],
    [["--payment", "7"], "--payment"],
    [["7"], "7"],
  ])("are rejected when they are wrong: %j", (args, message) => {
    expect(() => read(...args)).toThrow(message);
    expect(() => read(...args)).toThrow(TypeError);
  });

  test("name a sabotage by its row", () => {
    expect(read("--sabotage", "no-deadline").sabotage).toBe(SABOTAGES.prompts["no-deadline"]);
  });

  test.each([
    ["prompts", optionsOf(prompts)],
    ["orders", optionsOf(orders)],
    ["inboxes", optionsOf(inboxes)],
  ] as const)("are listed, and have defaults: %s", (name, options) => {
    const usage = usageOf(name, options);
    expect(usage).toContain(`npm run campaign -- ${name} [options]`);
    for (const option of Object.keys(options))
      expect(usage).toMatch(new RegExp(`--(no-)?${option} `));
    expect(readOptions(options, [])).toMatchObject({ seed: "1", sabotage: undefined });
  });
});
