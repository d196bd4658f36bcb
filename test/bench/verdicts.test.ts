import { describe, expect, test } from "vitest";
import { callGoals } from "./call.ts";
import { importGoals } from "./cold-import.ts";
import { startGoals } from "./sandbox-servers.ts";
import { atLeast, atMost, goalLine } from "./table.ts";
import { goalsIn, hasFailed, lastLine, timeGoal } from "./verdicts.ts";

const ran = (name: string, text: string, status: number | null = 0) => ({ name, text, status });

describe("a goal", () => {
  test.each([
    [atMost("a call costs", 1.4, 1.4), true, "a call costs at most 1.4: 1.40"],
    [atMost("a call costs", 1.4, 1.41), false, "a call costs at most 1.4: 1.41"],
    [atLeast("in 200s", 0.75, 0.75), true, "in 200s at least 0.75: 0.75"],
    [atLeast("in 200s", 0.75, 0.74), false, "in 200s at least 0.75: 0.74"],
    [atMost("resident", 60, 62.4, "MB", 0), false, "resident at most 60 MB: 62"],
    [atMost("a call costs", 1.4, Number.NaN), false, "a call costs at most 1.4: NaN"],
  ])("is judged by the figure that is printed: %j", (goal, met, text) => {
    expect(goal).toEqual({ text, met });
  });

  test("is found again in what was printed", () => {
    const goals = [atMost("a", 1, 2), atLeast("b", 1, 2)];
    const text = `a table\nmet or not\n\n${goals.map(goalLine).join("\n")}\n`;
    expect(goalsIn(text)).toEqual(goals);
  });
});

describe("the goals of the subjects", () => {
  const met = (goals: readonly { met: boolean }[]) => goals.map((one) => one.met);

  test("of a call: beside bare fetch, ky alone, and the peers", () => {
    const micros = { bare: 100, post: 139, ky: 200, get: 219, stripe: 150, openai: 140 };
    expect(met(callGoals(micros))).toEqual([true, true, true, true]);
    const slow = { ...micros, post: 151, get: 222 };
    expect(met(callGoals(slow))).toEqual([false, false, false, false]);
  });

  test("of an import: beside octokit, ky and openai", () => {
    const ms = { webhooks: 14.9, malipo: 38, octokit: 10, ky: 30, openai: 70 };
    expect(met(importGoals(ms))).toEqual([true, true, true]);
    expect(met(importGoals({ ...ms, webhooks: 15.2, malipo: 43 }))).toEqual([false, false, false]);
  });

  test("of a start: after a bare server", () => {
    expect(met(startGoals({ bareMs: 40, readyMs: 80, versionMs: 65 }))).toEqual([true, true]);
    expect(met(startGoals({ bareMs: 40, readyMs: 81, versionMs: 66 }))).toEqual([false, false]);
  });
});

describe("the last line of the bench", () => {
  test("counts the missed goals of all subjects", () => {
    const all = [ran("a", "met     x"), ran("b", "MISSED  y\nMISSED  z"), ran("c", "no goal")];
    expect(lastLine(all)).toBe("2 of 3 goals are missed.");
    expect(lastLine([ran("a", "met     x")])).toBe("All 1 goals are met.");
  });

  test("names what failed, although no goal is missed", () => {
    expect(lastLine([ran("a", "met     x"), ran("scale", "", 1)])).toBe(
      "FAILED: scale. All 1 goals are met.",
    );
  });

  test.each([
    ["a program that ended well", ran("a", "met     x"), false],
    ["one that missed a goal, and says so by its exit code", ran("a", "MISSED  x", 1), false],
    ["one that threw", ran("a", "", 1), true],
    ["one that threw after it printed goals that are met", ran("a", "met     x", 1), true],
    ["one that a signal ended", ran("a", "MISSED  x", null), true],
    ["one with another exit code", ran("a", "MISSED  x", 2), true],
  ])("does not mistake %s", (_, one, failed) => {
    expect(hasFailed(one)).toBe(failed);
  });

  test("has the time of the bench for a goal", () => {
    expect(goalsIn(timeGoal(600, 10))).toEqual([
      { text: "the whole bench takes at most 10 minutes: 10.0", met: true },
    ]);
    expect(goalsIn(timeGoal(601, 10))[0]?.met).toBe(false);
  });
});
