import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { ASSUMPTIONS } from "../../src/sandbox/assumptions.ts";
import { type Installed, installPacked } from "../support/installed.ts";

let installed: Installed;
beforeAll(() => {
  installed = installPacked();
});
afterAll(() => installed?.remove());

/** Pays, verifies a webhook and fails once, whichever way the package was loaded. */
const program = `
  const sandbox = createSandbox();
  const { secret: apiKey } = sandbox.keys;
  const gateway = new Gateway({ apiKey, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
  const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
  sandbox.phone("0712345678").approve();
  const { status } = await gateway.payments.get(reference);
  const body = JSON.stringify({ event: "payment.completed", timestamp: "", data: {} });
  const signature = signWebhook(body, "secret");
  const { event } = verifyWebhook({ body, signature, secret: "secret" });
  const error = await gateway.payments.get("none").catch((error) => error);
  console.log(status, event, error instanceof NotFoundError, error.name, error.outcome);
`;
const names = {
  malipo: "Gateway, NotFoundError",
  "malipo/webhooks": "verifyWebhook, signWebhook",
  "malipo/sandbox": "createSandbox",
};
const printed = "completed payment.completed true NotFoundError rejected\n";

describe("the packed tarball, installed in an empty folder", () => {
  test("is the only package in node_modules", () => {
    const names = readdirSync(join(installed.folder, "node_modules"));
    expect(names.filter((name) => !name.startsWith("."))).toEqual(["malipo"]);
  });

  test("works from ESM", () => {
    const imports = Object.entries(names).map(
      ([from, what]) => `import { ${what} } from "${from}";`,
    );
    expect(installed.run("esm.mjs", imports.join("\n") + program)).toBe(printed);
  });

  test("works from CommonJS", () => {
    const requires = Object.entries(names).map(
      ([from, what]) => `const { ${what} } = require("${from}");`,
    );
    const text = `${requires.join("\n")} (async () => {${program}})();`;
    expect(installed.run("cjs.cjs", text)).toBe(printed);
  });

  test("recognises its errors across ESM, CommonJS and entry points", () => {
    const text = `
      import { createRequire } from "node:module";
      import * as esm from "malipo";
      import * as webhooks from "malipo/webhooks";
      const cjs = createRequire(import.meta.url)("malipo");
      const made = [esm, cjs, webhooks].map(({ ConfigurationError }) => new ConfigurationError("x"));
      const known = [esm, cjs, webhooks].map(({ ConfigurationError, GatewayError, isGatewayError }) =>
        made.every((one) => one instanceof ConfigurationError && one instanceof GatewayError && isGatewayError(one)));
      console.log(known.join(), new esm.KeyTypeError("x") instanceof cjs.ApiError);
    `;
    expect(installed.run("mixed.mjs", text)).toBe("true,true,true false\n");
  });

  test.each(["import", "require"])(
    "serves its page, its API page and its OpenAPI document by %s",
    (how) => {
      const load =
        how === "import"
          ? `import { createSandbox } from "malipo/sandbox";`
          : `const { createSandbox } = require("malipo/sandbox");`;
      const text = `${load}
      (async () => {
        const service = await createSandbox().serve({ port: 0 });
        const statuses = ["/", "/openapi.json", "/docs"].map(async (path) => (await fetch(service.url + path)).status);
        console.log((await Promise.all(statuses)).join());
        await service.close();
      })();
    `;
      expect(installed.run(how === "import" ? "serve.mjs" : "serve.cjs", text)).toBe(
        "200,200,200\n",
      );
    },
  );

  test.each([
    ["mjs", `import { Gateway } from "malipo";`],
    ["cjs", `const { Gateway } = require("malipo");`],
  ])("prints an uncaught error in a few lines that name file and line: %s", (extension, load) => {
    const path = installed.write(
      `uncaught.${extension}`,
      `${load} new Gateway({ apiKey: "none" });`,
    );
    const { stderr, status } = spawnSync(process.execPath, [path], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("ConfigurationError");
    expect(stderr).toMatch(/malipo\/dist\/\S+\.c?js:\d+/);
    expect(stderr.length).toBeLessThan(3_000);
  });

  test.each([
    ["mjs", `import { Gateway } from "malipo";`],
    ["cjs", `const { Gateway } = require("malipo");`],
  ])("prints the caller's own file for a call that failed: %s", (extension, load) => {
    const path = installed.write(
      `failed-call.${extension}`,
      `${load}
      const gateway = new Gateway({ apiKey: "sk_x", baseUrl: "http://127.0.0.1:9/v1", maxRetries: 0 });
      async function checkout() {
        await gateway.mobileMoney.initiate({ amount: 1, phone: "0712345678" }, { idempotencyKey: "1" });
      }
      checkout();`,
    );
    const { stderr } = spawnSync(process.execPath, [path], { encoding: "utf8" });
    expect(stderr).toMatch(/at async checkout \(.*failed-call\.[cm]js:4/);
  });

  test("contains the same OpenAPI document as the sources", () => {
    const text = `
      import service from "malipo/openapi.json" with { type: "json" };
      console.log(JSON.stringify(service));
    `;
    const { prefix, port } = ASSUMPTIONS.address.value;
    expect(JSON.parse(installed.run("openapi.mjs", text))).toEqual(
      openApiDocument(`http://127.0.0.1:${port}${prefix}`),
    );
  });

  test("brings a command line that needs no other package", async () => {
    const malipo = join(installed.folder, "node_modules/.bin/malipo");
    const sandbox = spawn(malipo, ["sandbox", "--port", "0", "--json"]);
    try {
      const [line] = await once(sandbox.stdout, "data");
      const { base_url: MALIPO_BASE_URL, keys } = JSON.parse(String(line));
      const env = { ...process.env, MALIPO_BASE_URL, MALIPO_API_KEY: keys.secret };
      const list = spawnSync(malipo, ["payments", "list"], { env, encoding: "utf8" });
      expect([list.stderr, list.status]).toEqual(["", 0]);
      expect(list.stdout).toContain("No payments");
      sandbox.kill();
      expect(await once(sandbox, "exit")).toEqual([0, null]);
    } finally {
      sandbox.kill("SIGKILL");
    }
  });

  test("brings malipo probe and malipo learn, which need no other package either", async () => {
    const malipo = join(installed.folder, "node_modules/.bin/malipo");
    const sandbox = spawn(malipo, ["sandbox", "--port", "0", "--json"]);
    try {
      const [line] = await once(sandbox.stdout, "data");
      const { base_url, keys } = JSON.parse(String(line));
      const env = { ...process.env, MALIPO_BASE_URL: base_url, MALIPO_API_KEY: keys.sandbox };
      const run = (...args: string[]) =>
        spawnSync(malipo, args, { env, cwd: installed.folder, encoding: "utf8" });
      const probe = run("probe", "--write");
      expect([probe.stderr, probe.status]).toEqual(["", 0]);
      const file = "malipo.service.json";
      for (const subcommand of ["report", "types", "openapi"]) {
        const { stderr, status } = run("learn", subcommand, file);
        expect([subcommand, stderr, status]).toEqual([subcommand, "", 0]);
      }
      expect(run("learn", "check", "--against", file).status).toBe(0);
      expect(run("learn", "diff", file, file).status).toBe(0);
    } finally {
      sandbox.kill("SIGKILL");
    }
  });

  test("brings malipo inbox and malipo attempts, which need no other package for SQLite", () => {
    const text = `
      import { sqlite } from "malipo/sqlite";
      const db = sqlite("shop.db");
      await db.open();
      await db.close();
    `;
    installed.run("stores.mjs", text);
    const malipo = join(installed.folder, "node_modules/.bin/malipo");
    const run = (...args: string[]) =>
      spawnSync(malipo, args, { cwd: installed.folder, encoding: "utf8" });
    const list = run("inbox", "list", "--store", "sqlite:shop.db");
    expect([list.stderr, list.status]).toEqual(["", 0]);
    const attempts = run("attempts", "list", "--store", "sqlite:shop.db");
    expect([attempts.stderr, attempts.status]).toEqual(["", 0]);
  });

  test("exports only its entry points", () => {
    const text = `
      const tries = ["malipo/dist/index.js", "malipo/client", "malipo/src/index.ts"];
      const codes = tries.map((name) => import(name).then(() => "open", ({ code }) => code));
      console.log((await Promise.all(codes)).join());
    `;
    expect(installed.run("closed.mjs", text)).toBe(
      `${Array(3).fill("ERR_PACKAGE_PATH_NOT_EXPORTED").join()}\n`,
    );
  });
});

describe("the types of the packed tarball", () => {
  let withNodeTypes: Installed;
  beforeAll(() => {
    withNodeTypes = installPacked("@types/node@24");
  });
  afterAll(() => withNodeTypes?.remove());

  test.each(["nodenext", "bundler"])("compile under %s resolution", (resolution) => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
    withNodeTypes.write(
      "user.ts",
      `
      import { Gateway, type Payment, isGatewayError } from "malipo";
      import { isKnownEvent, verifyWebhook } from "malipo/webhooks";
      import { createSandbox } from "malipo/sandbox";
      declare module "malipo" { interface Invoice { total: string } }
      const sandbox = createSandbox();
      const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
      export const total: Promise<string> = gateway.invoices.get("INV-0001").then((invoice) => invoice.total);
      export const payment: Promise<Payment> = gateway.payments.get("PAY-1");
      // @ts-expect-error a public key may not initiate
      new Gateway({ apiKey: "pk_1" }).mobileMoney.initiate;
      const event = verifyWebhook({ body: "", headers: {}, secret: "s" });
      if (isKnownEvent(event, "payment.failed")) event.data.user_message satisfies string | undefined;
      try { await payment } catch (error) {
        if (isGatewayError(error) && error.code === "rate_limit") error.retryAfterMs satisfies number | undefined;
      }
      `,
    );
    withNodeTypes.write("package.json", JSON.stringify({ private: true, type: "module" }));
    const module = resolution === "bundler" ? "esnext" : resolution;
    const { stdout } = spawnSync(
      process.execPath,
      [
        tsc,
        ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
        ...["--target", "es2023", "--types", "node", "--module", module],
        ...["--moduleResolution", resolution, "user.ts"],
      ],
      { cwd: withNodeTypes.folder, encoding: "utf8" },
    );
    expect(stdout).toBe("");
  });
});
