import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { startSandbox } from "./in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a sandbox, and returns its ready file. */
async function readyOf(...args: string[]) {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  const sandbox = await startSandbox(["--ready-file", path, ...args]);
  const ready = JSON.parse(readFileSync(path, "utf8"));
  return { sandbox, ready, mode: lstatSync(path).mode & 0o777 };
}

describe.concurrent("malipo sandbox", () => {
  test("has other keys, another secret and other references in each run, and says so", async ({
    expect,
  }) => {
    const runs = [await readyOf(), await readyOf()] as const;
    const references: string[] = [];
    for (const { sandbox, ready } of runs) {
      const response = await fetch(`${ready.base_url}/mobile-money/payment/initiate`, {
        method: "POST",
        headers: { "x-api-key": ready.keys.secret, "content-type": "application/json" },
        body: JSON.stringify({ amount: 100, phone: "0712345678" }),
      });
      references.push(((await response.json()) as { data: { reference: string } }).data.reference);
      await sandbox.stop();
    }
    const [first, second] = runs;
    expect(first.ready.keys.secret).not.toBe(second.ready.keys.secret);
    expect(first.ready.webhook_secret).not.toBe(second.ready.webhook_secret);
    expect(references[0]).not.toBe(references[1]);
    expect([first.ready.is_new, second.ready.is_new]).toEqual([true, true]);
    expect(first.mode).toBe(0o600);
  });

  test("has the same ones with the same seed", async ({ expect }) => {
    const runs = [await readyOf("--seed", "a"), await readyOf("--seed", "a")];
    for (const { sandbox } of runs) await sandbox.stop();
    expect(runs[0]?.ready.keys).toEqual(runs[1]?.ready.keys);
    expect(runs[0]?.ready.is_new).toBe(false);
  });

  test("begins virtual time today, and on a fixed day if a seed repeats a transcript", async ({
    expect,
  }) => {
    const runs = [
      await readyOf("--clock", "virtual"),
      await readyOf("--clock", "virtual", "--seed", "a"),
    ];
    const times: number[] = [];
    for (const { sandbox, ready } of runs) {
      const response = await fetch(`${ready.url}/_sandbox/api/clock`);
      times.push(Date.parse(((await response.json()) as { data: { now: string } }).data.now));
      await sandbox.stop();
    }
    expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(600_000);
    expect(times[1]).toBe(Date.parse("2026-01-01T09:00:00+03:00"));
  });

  test("does not write through a symbolic link of another user", async ({ expect }) => {
    const own = mkdtempSync(join(folder, "planted-"));
    const victim = join(own, "victim");
    writeFileSync(victim, "precious");
    const state = join(own, "state.json");
    for (const name of [`${state}.tmp`, join(own, "ready.json.tmp")]) symlinkSync(victim, name);
    const ready = join(own, "ready.json");
    const sandbox = await startSandbox(["--state", state, "--ready-file", ready]);
    await sandbox.stop();
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(state).isFile()).toBe(true);
    expect(lstatSync(state).mode & 0o777).toBe(0o600);
    // No draft is left.
    expect(readdirSync(own).filter((name) => /[0-9a-f-]{36}\.tmp/.test(name))).toEqual([]);
  });
});
