import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { chooseSandbox } from "../../src/cli/sandbox/find-sandbox.ts";
import { malipo, type Running, startCommand, startSandbox } from "./in-process.ts";

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
const started: Running[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "malipo-find-"));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<Running> {
  const sandbox = await startSandbox(args, { env });
  started.push(sandbox);
  return sandbox;
}
/** Starts a sandbox in the folder of a project. */
async function startIn(project: string, ...args: string[]): Promise<Running & { cwd: string }> {
  const cwd = join(folder, project);
  fs.mkdirSync(cwd, { recursive: true });
  const sandbox = await startSandbox(args, { env, cwd });
  started.push(sandbox);
  return { ...sandbox, cwd };
}
const run = (...args: string[]) => malipo(args, { env });
/** The sandbox that a command finds. One of the developer may run on the default port. */
const found = async (cwd = folder) =>
  /MALIPO_BASE_URL=(\S+)/.exec((await malipo(["env"], { env, cwd })).stdout)?.[1];
const files = () => fs.readdirSync(join(folder, "malipo"));

/** Writes what a running sandbox would write. The process of this test runs. */
function plant(content: string, name = `${process.pid}-1.json`): string {
  fs.mkdirSync(join(folder, "malipo"), { mode: 0o700, recursive: true });
  const path = join(folder, "malipo", name);
  fs.writeFileSync(path, content, { mode: 0o600 });
  return path;
}

describe("a command for any gateway that has no key and no address", () => {
  const commands = [["payments", "list"], ["webhooks", "list"], ["merchant", "get"], ["probe"]];

  test("names the sandbox that runs and how to use it, and sends it nothing", async () => {
    const sandbox = await start();
    for (const command of [...commands, ["doctor"]]) {
      const { code, stdout, stderr } = await run(...command);
      expect(code).not.toBe(EXIT.ok);
      expect(stdout + stderr).toContain(`A sandbox is running at ${sandbox.ready.url}`);
      expect(stdout + stderr).toContain('eval "$(npx malipo env)"');
    }
    expect((await run("logs", "--once")).stdout).toBe("");
  });

  test("names the address too if several run", async () => {
    await start();
    await start();
    const { stderr } = await run("payments", "list");
    expect(stderr).toMatch(/eval "\$\(npx malipo env --url http:\/\/127\.0\.0\.1:\d+\)"/);
  });

  test("does not name a sandbox if a key or the address of another service is set", async () => {
    await start();
    for (const setting of [
      { MALIPO_API_KEY: "sk_of_the_service" },
      { MALIPO_BASE_URL: "https://service.example/v1" },
    ]) {
      const { code, stderr } = await malipo(["payments", "list"], { env: { ...env, ...setting } });
      expect(code).toBe(EXIT.usage);
      expect(stderr).not.toContain("sandbox");
    }
  });
});

describe("a command without --url", () => {
  test("finds the sandbox that runs, on any port, and not one that was stopped", async () => {
    const sandbox = await start();
    expect(await found()).toBe(sandbox.ready.base_url);
    expect((await run("phone", "off", "0712345678")).code).toBe(EXIT.ok);
    await sandbox.stop();
    started.pop();
    expect(files()).toEqual([]);
    const { stdout, stderr } = await run("env");
    expect(stdout).not.toContain(sandbox.ready.base_url);
    expect(stderr).toContain("no sandbox of this user is running. Trying http://127.0.0.1:4010");
  });

  test("prefers the sandbox that was started in its folder", async () => {
    const [a, b] = [await startIn("a"), await startIn("b")];
    expect(await found(a.cwd)).toBe(a.ready.base_url);
    expect(await found(b.cwd)).toBe(b.ready.base_url);
  });

  test("prefers the default port if several run and none was started here", () => {
    const running = ["http://127.0.0.1:4009", "http://127.0.0.1:4010"].map((url) => ({
      url,
      folder: join(folder, url.slice(-4)),
    }));
    expect(chooseSandbox({ cwd: folder }, running)).toBe("http://127.0.0.1:4010");
  });

  test("lists several with their folders if none was started here", async () => {
    const [a, b] = [await startIn("a"), await startIn("b")];
    const { code, stderr } = await run("clock", "now");
    expect(code).toBe(EXIT.usage);
    for (const { ready, cwd } of [a, b]) {
      expect(stderr).toContain(`--url ${ready.url}  (started in ${cwd})`);
    }
    expect((await run("clock", "now", "--url", b.ready.url)).code).toBe(EXIT.ok);
  });

  test.for([
    ["another machine", () => plant('{"url":"http://192.0.2.1:4010"}')],
    ["another protocol", () => plant('{"url":"file:///etc/passwd"}')],
    ["something else", () => plant("[]")],
    ["half a file", () => plant('{"url":"http://127')],
    ["a large file", () => plant(`{"url":"http://127.0.0.1:1"}${" ".repeat(5_000)}`)],
  ] as const)("is not led to %s", async ([, make]) => {
    make();
    const sandbox = await start();
    expect(await found()).toBe(sandbox.ready.base_url);
  });
});

describe.skipIf(process.platform === "win32")("the folder of running sandboxes", () => {
  test("is private, and so are its files, which hold no key", async () => {
    const sandbox = await start();
    const mode = (path: string) => fs.statSync(path).mode & 0o777;
    expect(mode(join(folder, "malipo"))).toBe(0o700);
    const [name = ""] = files();
    const path = join(folder, "malipo", name);
    expect(mode(path)).toBe(0o600);
    const { keys, webhook_secret } = sandbox.ready;
    for (const secret of [keys.secret, keys.public, webhook_secret]) {
      expect(fs.readFileSync(path, "utf8")).not.toContain(secret);
    }
  });

  test.for(["open to others", "a symbolic link", "a file"] as const)(
    "is not used if it is %s: the sandbox runs, and commands need --url",
    async (kind) => {
      const path = join(folder, "malipo");
      const elsewhere = join(folder, "elsewhere");
      fs.mkdirSync(elsewhere, { mode: 0o700 });
      if (kind === "a symbolic link") fs.symlinkSync(elsewhere, path);
      if (kind === "a file") fs.writeFileSync(path, "");
      if (kind === "open to others") {
        fs.mkdirSync(path);
        fs.chmodSync(path, 0o777);
      }
      const sandbox = await start();
      expect(fs.readdirSync(elsewhere)).toEqual([]);
      // Another user may listen on the default port: no command asks there silently.
      const { code, stdout, stderr } = await run("env");
      expect([code, stdout]).toEqual([EXIT.usage, ""]);
      expect(stderr).toContain("does not belong only to this user");
      expect((await run("clock", "now", "--url", sandbox.ready.url)).code).toBe(EXIT.ok);
    },
  );

  test("is read only if its files are ours: no symbolic link, nothing that others can write", async () => {
    const sandbox = await start();
    const target = join(folder, "target.json");
    fs.writeFileSync(target, '{"url":"http://127.0.0.1:1"}', { mode: 0o600 });
    fs.symlinkSync(target, join(folder, "malipo", `${process.pid}-1.json`));
    fs.chmodSync(plant('{"url":"http://127.0.0.1:1"}', `${process.ppid}-1.json`), 0o666);
    expect(await found()).toBe(sandbox.ready.base_url);
  });
});

test("the banner has --url only if a command needs it", async () => {
  const first = startCommand(["sandbox", "--port", "0"], { env });
  await first.prints(/Ctrl-C/);
  const second = startCommand(["sandbox", "--port", "0"], { env });
  await second.prints(/Ctrl-C/);
  expect(first.output()).toContain("npx malipo phone approve 0712345678   #");
  expect(second.output()).toMatch(/npx malipo phone approve 0712345678 --url http:\S+ {3}#/);
  for (const one of [first, second]) await one.stop();
});

describe("env --write", () => {
  const path = () => join(folder, ".env");
  const write = (...args: string[]) => run("env", "--write", path(), ...args);

  test("writes a .env file that only its owner can read", async () => {
    const { ready } = await start();
    const { code, stdout } = await write();
    expect([code, stdout]).toEqual([
      EXIT.ok,
      `The settings of the sandbox at ${ready.url} are in ${path()}.\n`,
    ]);
    const { base_url, keys, webhook_secret } = ready;
    expect(fs.readFileSync(path(), "utf8")).toBe(
      `MALIPO_BASE_URL=${base_url}\nMALIPO_API_KEY=${keys.secret}\nMALIPO_WEBHOOK_SECRET=${webhook_secret}\n`,
    );
    if (process.platform !== "win32") expect(fs.statSync(path()).mode & 0o777).toBe(0o600);
  });

  test("names the folder of a sandbox that was started for another project", async () => {
    const { ready, cwd } = await startIn("another");
    expect((await write()).stdout).toBe(
      `The settings of the sandbox at ${ready.url} (started in ${cwd}) are in ${path()}.\n`,
    );
  });

  test("leaves the bytes of other lines as they are, also those of another encoding", async () => {
    await start();
    const others = Buffer.from(
      "NAME=caf\xe9 \xff\xfe\r\n# na\xefve\nMALIPO_API_KEY=old\nLAST=\xc3\xa9\n",
      "latin1",
    );
    fs.writeFileSync(path(), others);
    expect((await write()).code).toBe(EXIT.ok);
    const text = fs.readFileSync(path(), "latin1");
    expect(text.split("\n").slice(0, 3)).toEqual([
      "NAME=caf\xe9 \xff\xfe\r",
      "# na\xefve",
      "LAST=\xc3\xa9",
    ]);
    expect(text).not.toContain("=old");
  });

  test.skipIf(process.platform === "win32")(
    "refuses a pipe, and does not wait for it",
    async () => {
      await start();
      execFileSync("mkfifo", [path()]);
      const { code, stderr } = await write();
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("not a regular file")]);
      expect(fs.lstatSync(path()).isFIFO()).toBe(true);
    },
  );

  test.skipIf(process.platform === "win32")("keeps a link to a .env file elsewhere", async () => {
    await start();
    const target = join(folder, "shared.env");
    fs.writeFileSync(target, "OTHER=1\n");
    fs.symlinkSync(target, path());
    expect((await write()).code).toBe(EXIT.ok);
    expect(fs.readlinkSync(path())).toBe(target);
    expect(fs.readFileSync(target, "utf8")).toMatch(/^OTHER=1\nMALIPO_BASE_URL=/);
  });

  test("replaces its variables, and leaves the others", async () => {
    const { ready } = await start();
    fs.writeFileSync(path(), "PORT=3000\nexport MALIPO_API_KEY=old\n# the database\nDB=shop");
    await write("--kind", "public");
    const text = fs.readFileSync(path(), "utf8");
    expect(text).toMatch(/^PORT=3000\n# the database\nDB=shop\nMALIPO_BASE_URL=/);
    expect(text).toContain(`\nMALIPO_API_KEY=${ready.keys.public}\n`);
    expect(text).not.toContain("old");
  });

  test("leaves the file as it was if it is not clear which sandbox is meant, or none responds", async () => {
    await startIn("a");
    await startIn("b");
    fs.writeFileSync(path(), "PORT=3000\n");
    expect((await write()).code).toBe(EXIT.usage);
    expect((await write("--url", "http://127.0.0.1:1")).code).toBe(EXIT.unreachable);
    expect(fs.readFileSync(path(), "utf8")).toBe("PORT=3000\n");
    expect(fs.readdirSync(folder).filter((name) => name.includes(".env"))).toEqual([".env"]);
  });

  test("says if the file cannot be written", async () => {
    await start();
    const { code, stderr } = await run("env", "--write", join(folder, "missing", ".env"));
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("--write: cannot write")]);
  });
});

test("the page of a stopped sandbox shows the command that started it", async () => {
  const sandbox = await start("--auto", "none", "--seed", "two words");
  const page = await (await fetch(sandbox.ready.page)).text();
  expect(page).toContain(
    "npx malipo sandbox --port 0 --json --auto none --seed &#39;two words&#39;",
  );
});

test("env prints nothing that a shell would act on", async () => {
  const data = { keys: { secret: "sk_$(touch hacked)" }, webhook_secret: "whsec_1" };
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ success: true, data }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await run("env", "--url", `http://127.0.0.1:${port}`);
  expect([code, stdout]).toEqual([EXIT.failed, ""]);
  expect(stderr).toContain("a shell would act on");
  server.close();
});
