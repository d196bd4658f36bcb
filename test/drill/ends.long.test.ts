// How a drill ends: by a signal, and with shops that cannot be tested.
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { allCases, type DrillCase } from "../../src/drill/cases.ts";
import { exitStatus } from "../../src/drill/drill-results.ts";
import { KEPT_FILE } from "../../src/drill/kept-results.ts";
import { installedMalipo, startMalipo } from "../cli/command-line.ts";
import { untilIt } from "../support/running.ts";
import { brokenPromises, drillShop, SETTINGS, shopFolder } from "./shops/drill-shop.ts";

const { folder, write, remove } = shopFolder();
afterAll(remove);

const RIGHT = readFileSync(new URL("./shops/right-shop.ts", import.meta.url), "utf8");
const DRY = { cases: allCases().filter(({ group }) => group === "nothing") };

const flagsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);

/** Whether a process runs. One that has ended may still wait for its parent. */
const isAlive = (pid: number) =>
  /^State:\s+[^ZX]/m.test(
    existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "",
  );

describe("a drill", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "that gets a %s stops the shop and its children, writes the results, and removes the folder",
    async (signal) => {
      const name = `interrupted-${signal}`;
      const notes = join(folder, name);
      // The command is a parent, and its child is the shop.
      const child = write(
        `${name}-child`,
        `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(notes)}, process.pid + " " + process.env.DATA + "\\n");\n${RIGHT}`,
      );
      const parent = write(
        name,
        `import { spawn } from "node:child_process";\nspawn(${JSON.stringify(child)}, { shell: true, stdio: "inherit" }).once("exit", () => process.exit());\nprocess.on("SIGTERM", () => {});`,
      );
      const html = `${name}.html`;
      const flags = flagsOf({ ...SETTINGS, start: parent, quiet: "1s", report: html });
      const drill = startMalipo(["drill", ...flags], { cwd: folder });
      const { child: process, ended, printed } = drill;
      // The dry run has ended, and the shops of the cases run.
      await untilIt(drill, () => printed().includes("Without faults:"));
      const lines = () => readFileSync(notes, "utf8").trim().split("\n");
      await untilIt(drill, () => lines().length > 2);
      await sleep(500);
      process.kill(signal);
      expect(await ended).toBe(2);
      expect(printed()).toContain(`The drill was interrupted (${signal}).`);
      expect(readFileSync(join(folder, html), "utf8")).toContain("could not be tested");
      const shops = lines().map((line) => line.split(" "));
      expect(shops.filter(([pid]) => isAlive(Number(pid)))).toEqual([]);
      expect(shops.filter(([, data = ""]) => existsSync(data))).toEqual([]);
    },
  );

  test("that was stopped goes on with --continue, and ends with all cases", async () => {
    const name = join(folder, "goes-on");
    mkdirSync(name);
    const settings = {
      ...SETTINGS,
      start: write("goes-on", RIGHT),
      quiet: "5s",
      slow: "2s",
      processes: "2",
    };
    writeFileSync(join(name, "malipo.drill.json"), JSON.stringify(settings));
    const first = startMalipo(["drill"], { cwd: name });
    const kept = join(name, KEPT_FILE);
    // More than the dry run: it says how far it is once a minute.
    await untilIt(first, () => /\d\d of \d+ cases/.test(first.printed()));
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(2);
    const content = JSON.parse(readFileSync(kept, "utf8"));
    const known: { readonly number: number }[] = content.results;
    expect(known.length).toBeGreaterThan(10);
    // Whatever was done, most of the rest counts as done, too: a whole drill takes minutes.
    const isNew = ({ number }: DrillCase) => known.every((one) => one.number !== number);
    const done = allCases().filter(isNew).slice(0, -30);
    const passed = done.map(({ number }) => ({ number, problems: [], story: [], payments: [] }));
    writeFileSync(kept, JSON.stringify({ ...content, results: [...known, ...passed] }));
    const other = await installedMalipo(["drill", "--continue", "--slow", "9s"], { cwd: name });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("other settings")]);
    const second = await installedMalipo(["drill", "--continue", "--json"], { cwd: name });
    expect([second.code, second.json()]).toMatchObject([
      0,
      { cases: allCases().length, failed: 0 },
    ]);
    expect(existsSync(kept)).toBe(false);
    const none = await installedMalipo(["drill", "--continue"], { cwd: name });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("nothing to continue")]);
  });

  test("says so if a shop leaves its process group, and ends it", async () => {
    const notes = join(folder, "stray.pid");
    const child = write("stray-child", RIGHT);
    const [command = "", ...args] = child.replaceAll('"', "").split(" ");
    const parent = write(
      "stray",
      `import { spawn } from "node:child_process";\nimport { writeFileSync } from "node:fs";\nconst child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { detached: true, stdio: "inherit" });\nwriteFileSync(${JSON.stringify(notes)}, String(child.pid));`,
    );
    const result = await drillShop(
      { start: `${parent} && sleep 600`, quiet: "1s" },
      undefined,
      DRY,
    );
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join()).toContain("leaves its process group");
    expect(isAlive(Number(readFileSync(notes, "utf8")))).toBe(false);
  });

  test("stops after one order, from a phone that no person has, if the shop does not use MALIPO_BASE_URL", async () => {
    const phones: string[] = [];
    const live = createServer(async (request, response) => {
      const { phone } = JSON.parse((await text(request)) || "{}");
      if (phone !== undefined) phones.push(phone);
      response.end('{"success":true,"data":{"reference":"LIVE","status":"pending"}}');
    });
    live.listen(0, "127.0.0.1");
    await once(live, "listening");
    const { port } = live.address() as AddressInfo;
    const shop = write(
      "live",
      RIGHT.replace("new Gateway({", `new Gateway({ baseUrl: "http://127.0.0.1:${port}",`),
    );
    const result = await drillShop({ start: shop }, undefined, DRY);
    live.close();
    live.closeAllConnections();
    expect([exitStatus(result), result.results]).toEqual([2, []]);
    expect(result.obstacles.join()).toContain("so that no real phone rings");
    expect(phones).toHaveLength(1);
    expect(phones[0]).toMatch(/^(?:0|254)190\d{6}$/);
  });

  test("stays small if a page of the shop has no end, or its output is 600 MB", async () => {
    const shop = write(
      "endless",
      RIGHT.replace(
        'const [found] = rows("id = ?", id);',
        'if (!id.startsWith("none")) { const more = () => { while (response.write("x".repeat(1e6))); response.once("drain", more); }; more(); return; }\n  const [found] = rows("id = ?", id);',
      ) +
        'import { execFileSync } from "node:child_process";\nexecFileSync("sh", ["-c", "head -c 600000000 /dev/zero | tr \\\\0 y"], { stdio: "inherit" });',
    );
    const before = process.memoryUsage().rss;
    const result = await drillShop({ start: shop, quiet: "1s", effects: "" }, undefined, DRY);
    const grownBytes = process.memoryUsage().rss - before;
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join("\n")).toContain("the shop's response has more than");
    expect(result.obstacles.join("\n")).toContain("The shop printed more than 64 MB");
    expect(grownBytes).toBeLessThan(300_000_000);
  });

  test("goes on with a new shop if one does not come back after a kill, and blames it for nothing else", async () => {
    // A lock file that only a shop that ends in peace removes.
    const shop = write(
      "stale-lock",
      `import { rmSync, writeFileSync } from "node:fs";
const lock = process.env.DATA + "/lock";
writeFileSync(lock, "", { flag: "wx" });
${RIGHT.replace('process.once("SIGTERM", () => process.exit());', 'process.once("SIGTERM", () => { rmSync(lock); process.exit(); });')}`,
    );
    const result = await drillShop({ start: shop, quiet: "5s" }, [6, 7, 41, 198]);
    expect(brokenPromises(result)).toEqual([
      "the process does not die, and comes back after a kill",
    ]);
    const skipped = result.results.filter((one) => one.skipped === "the shop did not come back");
    expect(skipped.map(({ case: { number } }) => number)).toEqual([7]);
  });

  test("with --until-first-failure ends with the cases that broke a promise, and counts the rest", async () => {
    const shop = write(
      "first-failure",
      RIGHT.replace("{ idempotencyKey: key }", "{ idempotencyKey: crypto.randomUUID() }"),
    );
    const raw = { start: shop, quiet: "1s", workers: "1" };
    const numbers = [...Array(60).keys()].map((index) => index + 1);
    const result = await drillShop(raw, numbers, { untilFirstFailure: true });
    expect(brokenPromises(result)).toContain("one attempt, at most one prompt");
    expect(result.results).toHaveLength(60);
    const rest = result.results.filter((one) => one.skipped === "the drill stopped before it");
    expect(rest.length).toBeGreaterThan(20);
  });

  test("with --only and --case runs the cases that both name", async () => {
    const shop = write("chosen", RIGHT);
    const flags = flagsOf({
      ...SETTINGS,
      start: shop,
      quiet: "1s",
      only: "final",
      case: "195-200",
    });
    const { code, json } = await installedMalipo(["drill", ...flags, "--json"], { cwd: folder });
    expect([code, json()]).toMatchObject([0, { exit_status: 0, cases: 6, passed: 6 }]);
    const none = await installedMalipo(["drill", ...flagsOf({ only: "pairs", case: "1-5" })]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("has no case")]);
  });

  test("with --init does not write through a link that leads nowhere", async () => {
    const target = join(folder, "elsewhere.json");
    symlinkSync(target, join(folder, "malipo.drill.json"));
    const input = "node shop.mjs\nPOST /orders {}\n";
    const { code, stderr } = await installedMalipo(["drill", "--init"], { cwd: folder, input });
    expect([code, stderr]).toEqual([2, expect.stringContaining("exists already")]);
    expect(existsSync(target)).toBe(false);
  });
});
