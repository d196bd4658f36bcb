import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { malipo, type Running, startSandbox } from "../cli/command-line.ts";
import { codeBlocks } from "./support/blocks.ts";

describe.each(["README.md", "docs/get-started.md"])("the first steps of %s", (page) => {
  let folder: string;
  let sandbox: Running;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "malipo-first-"));
    // What `npm init -y` of npm 11 writes, and what `npm install malipo` does.
    writeFileSync(join(folder, "package.json"), '{"name":"shop","type":"commonjs"}');
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
    sandbox = await startSandbox(["--auto", "approve"], { cwd: folder });
  });
  afterAll(async () => {
    await sandbox?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("end with a completed payment, in a new CommonJS project too", async () => {
    const text = readFileSync(page, "utf8");
    const [, command = ""] = /npx malipo (env --write \.env)/.exec(text) ?? [];
    expect((await malipo(command.split(" "), { cwd: folder })).code).toBe(0);
    const [, file = ""] = /node --env-file=\.env (\S+\.m[jt]s)\b/.exec(text) ?? [];
    const [block = ""] = codeBlocks(page, "ts");
    writeFileSync(join(folder, file), block);
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ["--env-file=.env", file], options);
    expect([stdout, stderr]).toEqual(["completed\n", ""]);
  });
});
