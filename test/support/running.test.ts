import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { untilIt, untilItAnswers } from "./running.ts";

/** A process that prints a line, and ends. */
function start(code: string) {
  const child = spawn(process.execPath, ["--eval", code]);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed += text;
  });
  return { child, printed: () => printed };
}

test("a wait for a process that ends first fails with what the process printed", async () => {
  const one = start('console.log("no settings"); process.exitCode = 3');
  const wait = untilIt(one, () => one.printed().includes("ready"));
  await expect(wait).rejects.toThrow(/ended \(3\).*includes\("ready"\)[\s\S]*no settings/);
  await expect(untilItAnswers(one, "http://127.0.0.1:1")).rejects.toThrow("no settings");
});

test("a wait for what a process does last resolves", async () => {
  const one = start('console.log("ready")');
  await untilIt(one, () => one.printed().includes("ready"));
});
