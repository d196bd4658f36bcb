// The path of a new user, from an empty folder to the fire drill: each block of code and of commands as
// the pages print it, in their order, with the packed tarball. The test only plays the customer.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Running, untilItAnswers } from "../support/running.ts";
import { codeBlocks } from "./support/blocks.ts";

const START = "docs/guides/get-started.md";
const CHECKOUT = "docs/guides/checkout.md";
const TEST = "docs/guides/test.md";
const DRILL = "docs/guides/drill.md";

const parent = mkdtempSync(join(tmpdir(), "malipo-path-"));
const folder = join(parent, "shop");

/** Nothing of this project's own npm run or shell, and no sandbox of the developer. */
const ENV: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(MALIPO_|npm_(?!config_)|NODE_|VITEST|FORCE_COLOR)/i.test(name),
    ),
  ),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  XDG_RUNTIME_DIR: parent,
};

interface Background extends Running {
  end(): Promise<void>;
}
const running: Background[] = [];

/** Runs a command that goes on, as in a terminal of its own. */
function background(command: string): Background {
  const child: ChildProcess = spawn("sh", ["-c", `exec ${command}`], {
    cwd: folder,
    env: ENV,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  const exit = once(child, "exit");
  const one = {
    child,
    printed: () => printed,
    end: async () => {
      // `npx` starts another process: both are in the group.
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (!isOver && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await exit;
    },
  };
  running.push(one);
  return one;
}

/** Runs commands in a shell, and returns what they printed. */
function shell(commands: string, cwd = folder): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", commands], {
    cwd,
    env: ENV,
    encoding: "utf8",
  });
  expect([status, stderr], commands).toEqual([0, expect.anything()]);
  return stdout;
}

/** The blocks of commands of a page, by what they contain. */
const block = (page: string, part: string): string =>
  codeBlocks(page, "sh").find((text) => text.includes(part)) ?? expect.unreachable(part);

/** Saves a block of a page under the name that the page gives to it. */
function save(page: string, name: string): void {
  const text = readFileSync(page, "utf8");
  const [, rest] = text.split(`Save this as \`${name}\``);
  const [, code] = /^```\w+[^\n]*\n([\s\S]*?)^```$/m.exec(rest ?? "") ?? [];
  writeFileSync(join(folder, name), code ?? expect.unreachable(name));
}

/** The customer enters a PIN as soon as the phone rings. */
async function enterPin(): Promise<void> {
  const approve = () =>
    spawnSync("npx", ["malipo", "phone", "approve", "0712345678"], { cwd: folder, env: ENV });
  await expect.poll(() => approve().status, { interval: 500 }).toBe(0);
}

describe("the path of a new user", () => {
  let receiver: Background;

  beforeAll(async () => {
    shell(`npm pack --ignore-scripts --silent --pack-destination ${parent}`, ".");
    const tarball = readdirSync(parent).find((name) => name.endsWith(".tgz")) ?? "";
    const lines = block(START, "mkdir shop").trim().split("\n");
    const sandbox = lines.pop() ?? "";
    expect(sandbox).toBe("npx malipo sandbox --state sandbox.json");
    const install = (line: string) =>
      line === "npm install malipo" ? `npm install ${join(parent, tarball)}` : line;
    shell(lines.map(install).join("\n"), parent);
    await untilItAnswers(background(sandbox), "http://127.0.0.1:4010");
    shell(block(START, "malipo env"));
  });
  afterAll(async () => {
    for (const one of running) await one.end();
    rmSync(parent, { recursive: true, force: true });
  });

  /** Runs `pay.mjs` by the command that names it so, and pays. */
  async function pay(command = "pay.mjs\n"): Promise<string> {
    const script = background(block(START, command).trim());
    await enterPin();
    await expect.poll(script.printed).toMatch(/\n/);
    return script.printed();
  }

  test("takes a first payment", async () => {
    save(START, "pay.mjs");
    expect(await pay()).toBe("completed\n");
  });

  test("receives its webhook by `malipo listen`, without a restart of the sandbox", async () => {
    save(START, "receiver.mjs");
    receiver = background(block(START, "receiver.mjs").trim());
    await untilItAnswers(receiver, "http://127.0.0.1:3000");
    const listen = background(block(START, "malipo listen").trim());
    await expect.poll(listen.printed).toMatch(/listen|registered|Ctrl-C/i);
    expect(await pay("pay.mjs ORDER-43")).toBe("completed\n");
    await expect.poll(receiver.printed).toContain("ship ORDER-43");
  });

  test("sells something: the printed shop takes the money and gives the ticket", async () => {
    await receiver.end();
    expect(readFileSync(CHECKOUT, "utf8")).toContain("`npm install express` is enough");
    shell("npm install express");
    save(CHECKOUT, "shop.mjs");
    const shop = background(block(CHECKOUT, "shop.mjs").trim());
    await untilItAnswers(shop, "http://127.0.0.1:3000");
    const [order = "", read = ""] = block(CHECKOUT, "curl").trim().split("\n");
    expect(JSON.parse(shell(order))).toMatchObject({ status: "pending", canPay: false });
    await enterPin();
    const paid = { status: "paid", effect: "done", received: "1500.00" };
    await expect.poll(() => JSON.parse(shell(read))).toMatchObject(paid);
    await shop.end();
  });

  test("tests the shop", () => {
    save(TEST, "shop.test.mts");
    expect(readFileSync(TEST, "utf8")).toContain("run `node --test shop.test.mts`");
    expect(shell("node --test shop.test.mts")).toMatch(/pass 1\b/);
  });

  // A whole drill takes minutes: some cases of each part of an order.
  test("rehearses the shop with the printed settings", () => {
    save(CHECKOUT, "malipo.drill.json");
    const printed = shell(`${block(DRILL, "--report").trim()} --case 1-12`);
    expect(printed).toMatch(/^Every promise holds\. 12 cases/m);
    expect(readdirSync(folder)).toContain("drill.html");
  });
});
