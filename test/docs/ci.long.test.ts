import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { type Installed, installPacked } from "../support/installed.ts";
import { codeBlocks } from "./support/blocks.ts";

const PAGE = "docs/guides/ci.md";

/** Nothing of this project's own npm run or shell, and no sandbox of the developer. */
const ENV: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MALIPO_|npm_)/i.test(name)),
);

let installed: Installed;
beforeAll(() => {
  ENV.XDG_RUNTIME_DIR = mkdtempSync(join(tmpdir(), "malipo-ci-"));
  installed = installPacked();
});
afterAll(() => {
  installed?.remove();
  rmSync(ENV.XDG_RUNTIME_DIR ?? "", { recursive: true, force: true });
});

describe("the script for CI", () => {
  const script = codeBlocks(PAGE, "sh").find((text) => text.startsWith("#!/bin/sh")) ?? "";

  /** Runs it in a project whose `npm test` is this command. */
  function run(command: string) {
    const { folder } = installed;
    const path = join(folder, "package.json");
    const project = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...project, scripts: { test: command } }));
    writeFileSync(join(folder, "ci.sh"), script);
    rmSync(join(folder, "sandbox.json"), { force: true });
    const options = { cwd: folder, env: ENV, encoding: "utf8", timeout: 100_000 } as const;
    return spawnSync("sh", ["ci.sh"], options);
  }

  test("runs the tests beside a sandbox that is ready, and stops it", () => {
    const { status, stdout } = run(
      'curl -sS "$MALIPO_BASE_URL/payments" -H "X-API-Key: $MALIPO_API_KEY" && echo && echo "$MALIPO_BASE_URL" && npx malipo clock now',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('{"success":true,"data":[]');
    expect(stdout).toMatch(/\d\+03:00 \(virtual\)/);
    const [url = ""] = /^http:\S+$/m.exec(stdout) ?? [];
    expect(spawnSync("curl", ["-s", url]).status).toBe(7);
  });

  test("fails if the tests fail, and if the sandbox does not start", () => {
    expect(run("exit 3").status).toBe(3);
    // A sandbox whose state file is not one does not start.

    const other = script.replace("--port 0", "--port 0 --state package.json");
    writeFileSync(join(installed.folder, "broken.sh"), other);
    const options = { cwd: installed.folder, env: ENV, encoding: "utf8" } as const;
    const broken = spawnSync("sh", ["broken.sh"], options);
    expect(broken.status).toBe(1);
    expect(broken.stdout).toContain("is not a sandbox state file");
  });

  test("is what the workflow runs", () => {
    const [workflow = ""] = codeBlocks(PAGE, "yaml");
    expect(workflow).toContain("- run: sh test-with-sandbox.sh");
    expect(readFileSync(PAGE, "utf8")).toContain("Save this as `test-with-sandbox.sh`");
  });
});

describe("the Dockerfile", () => {
  const lines = (codeBlocks(PAGE, "dockerfile")[0] ?? "").trim().split("\n");
  const of = (instruction: string) =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));
  const command = (text: string | undefined): string[] =>
    JSON.parse(/\[.*\]$/.exec(text ?? "")?.[0] ?? "[]");

  test("has a Node.js that the package supports, another user than root, and the sandbox's port", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    const [, major] = /^node:(\d+)/.exec(of("FROM")[0] ?? "") ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
    expect(of("USER")).toEqual(["node"]);
    expect(of("EXPOSE")).toEqual(["4010"]);
    // Nothing runs as root after this line.
    expect(lines.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(
      lines.findLastIndex((line) => /^(RUN|COPY)/.test(line)),
    );
  });

  // This test may run without Docker: it does the steps itself.
  test("makes a sandbox from only the tarball, without a network, that its health check finds", async () => {
    const context = mkdtempSync(join(tmpdir(), "malipo-image-"));
    const folder = join(context, "sandbox");
    mkdirSync(folder);
    chmodSync(context, 0o755);
    try {
      const [pattern = "", to] = (of("COPY")[0] ?? "").split(" ");
      expect(to).toBe("./");
      const [tarball = ""] = globSync(join(installed.folder, pattern));
      cpSync(tarball, join(folder, basename(tarball)));
      const env = { ...ENV, npm_config_cache: join(context, "empty-cache") };
      for (const step of of("RUN")) execFileSync("sh", ["-c", step], { cwd: folder, env });
      expect(globSync("*", { cwd: join(folder, "node_modules") })).toEqual(["malipo"]);

      const port = `${await freePort()}`;
      const [, ...args] = command(of("CMD")[0]);
      const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const sandbox = spawn(process.execPath, [...args, "--port", port], {
        cwd: folder,
        env: { ...ENV, HOME: "/nonexistent", XDG_RUNTIME_DIR: "" },
        stdio: ["ignore", "pipe", "inherit"],
        ...user,
      });
      try {
        await once(sandbox.stdout, "data");
        const [, ...check] = command(of("HEALTHCHECK")[0]);
        const healthy = (at: string) =>
          spawnSync(
            process.execPath,
            check.map((word) => word.replace("4010", at)),
          ).status;
        expect(healthy(port)).toBe(0);
        expect(healthy(`${await freePort()}`)).toBe(1);
      } finally {
        sandbox.kill("SIGTERM");
        expect(await once(sandbox, "exit")).toEqual([0, null]);
      }
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
  });

  test("is written for the way the package starts", () => {
    const bin = JSON.parse(readFileSync("package.json", "utf8")).bin.malipo;
    expect(command(of("CMD")[0])).toContain(join("node_modules/malipo", bin));
    expect(fileURLToPath(new URL(`../../${bin}`, import.meta.url))).toMatch(/cli\.js$/);
  });
});
