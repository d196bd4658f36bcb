import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXAMPLES } from "../../scripts/examples/list.ts";
import { freePort } from "../../src/drill/child.ts";

/** `npm run example`, as a process. */
async function runExample(name: string) {
  const [PORT, SANDBOX_PORT] = [`${await freePort()}`, `${await freePort()}`];
  const child = spawn(process.execPath, ["scripts/run-example.ts", name], {
    env: { ...process.env, PORT, SANDBOX_PORT },
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  return {
    shop: `http://localhost:${PORT}`,
    sandbox: `http://127.0.0.1:${SANDBOX_PORT}`,
    printed: () => printed,
    ended,
    stop,
  };
}

describe("npm run example", () => {
  test("lists every folder of the examples", async () => {
    const run = await runExample("");
    await expect.poll(run.printed).toContain("Usage: npm run example <name>");
    expect(await run.ended).toEqual([2, null]);
    const folders = globSync("examples/*/").map((path) => path.replace(/^examples\/|\/$/g, ""));
    expect(Object.keys(EXAMPLES).sort()).toEqual(folders.sort());
  });

  const python = spawnSync("python3", ["-c", "import sqlite3"]).status === 0 ? ["python"] : [];
  test.for(["express", "fastify", "nest", "frontend", ...python])(
    "runs %s beside a sandbox, says where both are, and leaves no data",
    async (name) => {
      const run = await runExample(name);
      await expect.poll(run.printed).toContain("Ctrl-C");
      expect(run.printed()).toContain(run.shop);
      expect(run.printed()).toContain(run.sandbox);
      expect(await (await fetch(run.shop)).text()).toContain("<form");
      expect(await (await fetch(run.sandbox)).text()).toContain("<html");
      await run.stop();
      expect(globSync(`{.,data,examples/${name}}/*.db`)).toEqual([]);
    },
  );

  test.for([
    ["webhooks", "ship ORDER-42"],
    ["hono", "Order: curl localhost:3000/orders"],
    ["tickets", "Order: curl localhost:3000/orders"],
    ["shell", "payment.completed is genuine"],
    ["reconcile", "paid: 1, unpaid: 1, open: 1"],
  ] as const)("runs %s", async ([name, text]) => {
    const run = await runExample(name);
    await expect.poll(run.printed).toContain(text);
    expect(run.printed()).not.toContain("ConfigurationError");
  });
});
