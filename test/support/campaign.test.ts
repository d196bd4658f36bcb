import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runWatched, shareRuns } from "./campaign.ts";

test("a campaign that stands still is killed, and says where its threads stood", async () => {
  const stands =
    'console.error("sold 3 of 40"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
  const run = runWatched(["--eval", stands], 1_000);
  const hasThreads = spawnSync("ps", ["-eLo", "lwp"]).status === 0;
  const threads = hasThreads ? "\\d+ .*Atomics\\.wait" : "";
  await expect(run).rejects.toThrow(
    new RegExp(`was killed\\.[\\s\\S]*sold 3 of 40[\\s\\S]*${threads}`),
  );
});

test("a campaign that prints now and then is not killed", async () => {
  const prints = "setInterval(() => console.log(1), 100); setTimeout(() => process.exit(3), 2_000)";
  expect(await runWatched(["--eval", prints], 1_000)).toMatchObject({ status: 3, stderr: "" });
});

test("a campaign that stood still is run again, and any other is run once", async () => {
  const begun: string[] = [];
  const runOf = shareRuns(async (name) => {
    begun.push(name);
    if (begun.length === 1) throw new Error("It stood still.");
    return { status: 1, stdout: "", stderr: "" };
  });
  await expect(runOf("sqlite")).rejects.toThrow("It stood still.");
  expect(await runOf("sqlite")).toBe(await runOf("sqlite"));
  expect(begun).toEqual(["sqlite", "sqlite"]);
});
