import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { malipo, type Running, startSandbox } from "../cli/command-line.ts";
import { codeBlocks } from "./support/blocks.ts";
import { freePort } from "./support/example.ts";
import { startShop } from "./support/shop-process.ts";

describe.each(["README.md", "docs/guides/checkout.md", "docs/guides/get-started.md"])(
  "the first steps of %s",
  (page) => {
    const text = readFileSync(page, "utf8");
    const [, file = ""] = /node --env-file=\.env (\S+\.m[jt]s)\b/.exec(text) ?? [];
    const [block = ""] = codeBlocks(page, "ts");
    let folder: string;
    let sandbox: Running;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "malipo-first-"));
      // What `npm init -y` of npm 11 writes, and what `npm install malipo express` does.
      writeFileSync(join(folder, "package.json"), '{"name":"shop","type":"commonjs"}');
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
      symlinkSync(resolve("node_modules/express"), join(folder, "node_modules/express"));
      sandbox = await startSandbox(["--auto", "approve"], { cwd: folder });
      const [, command = ""] = /npx malipo (env --write \.env)/.exec(text) ?? [];
      expect((await malipo(command.split(" "), { cwd: folder })).code).toBe(0);
    });
    afterAll(async () => {
      await sandbox?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test.skipIf(block.includes("express"))(
      "end with a completed payment, in a new CommonJS project too",
      () => {
        writeFileSync(join(folder, file), block);
        const options = { cwd: folder, encoding: "utf8" } as const;
        const { stdout, stderr } = spawnSync(process.execPath, ["--env-file=.env", file], options);
        expect([stdout, stderr]).toEqual(["completed\n", ""]);
      },
    );

    test.runIf(block.includes("express"))(
      "end with a shop whose order is paid, in a new CommonJS project too, without a webhook",
      async () => {
        const port = await freePort();
        writeFileSync(join(folder, file), block.replace(".listen(3000)", `.listen(${port})`));
        const args = ["--env-file=.env", file];
        const shop = await startShop({ args, folder }, { PORT: `${port}` });
        const url = `http://127.0.0.1:${port}/orders`;
        const body = /--json '(.+?)'/.exec(text)?.[1] ?? "";
        const headers = { "content-type": "application/json" };
        expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
        const read = async () => (await fetch(`${url}/${JSON.parse(body).order}`)).json();
        await expect
          .poll(read)
          .toMatchObject({ status: "paid", effect: "done", received: "1500.00" });
        expect(await shop.end("SIGKILL")).toBe("SIGKILL");
        const tickets = new DatabaseSync(join(folder, "shop.db"));
        expect(tickets.prepare("SELECT order_id FROM tickets").all()).toHaveLength(1);
        tickets.close();
      },
    );
  },
);
