import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../stress/inboxes/main.ts", import.meta.url));

test("a small soak of the built package loses, invents and repeats nothing", () => {
  const args = ["--inbox", "sqlite", "--events", "300", "--kills", "5", "--lease-ms", "1500"];
  const { stdout, status } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  expect(stdout.split("\n").map((line) => line.trim())).toEqual([
    expect.stringMatching(/^sqlite, seed 1, \d+ s$/),
    "300  sent",
    "300  acknowledged",
    "0  lost",
    "0  invented",
    "0  effects more than once, through the transaction",
    "5  kills",
    expect.stringMatching(/^\d+ {2}deliveries, duplicates and retries included$/),
    "Nothing was lost or processed twice.",
    "",
  ]);
  expect(status).toBe(0);
});
