import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import { ASSUMPTIONS } from "../../src/sandbox/assumptions.ts";
import { type Installed, installPacked } from "../support/installed.ts";

let installed: Installed;
beforeAll(() => {
  installed = installPacked("@types/node@24");
});
afterAll(() => installed?.remove());

/** The main job, by whatever `load` brings the package in. */
const mainJob = `
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
  test("works from ESM", () => {
    const imports = Object.entries(names).map(
      ([from, what]) => `import { ${what} } from "${from}";`,
    );
    expect(installed.run("esm.mjs", imports.join("\n") + mainJob)).toBe(printed);
  });

  test("works from CommonJS", () => {
    const requires = Object.entries(names).map(
      ([from, what]) => `const { ${what} } = require("${from}");`,
    );
    const text = `${requires.join("\n")} (async () => {${mainJob}})();`;
    expect(installed.run("cjs.cjs", text)).toBe(printed);
  });

  test("knows its errors across ESM, CommonJS and entry points", () => {
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

  test.each(["nodenext", "bundler"])("has types that hold under %s resolution", (resolution) => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
    installed.write(
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
      if (isKnownEvent(event, "payment.failed")) event.data.user_message satisfies string;
      try { await payment } catch (error) {
        if (isGatewayError(error) && error.code === "rate_limit") error.retryAfterMs satisfies number | undefined;
      }
      `,
    );
    installed.write("package.json", JSON.stringify({ private: true, type: "module" }));
    const module = resolution === "bundler" ? "esnext" : resolution;
    const { stdout } = spawnSync(
      process.execPath,
      [
        tsc,
        ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
        ...["--target", "es2023", "--types", "node", "--module", module],
        ...["--moduleResolution", resolution, "user.ts"],
      ],
      { cwd: installed.folder, encoding: "utf8" },
    );
    expect(stdout).toBe("");
  });

  test("verifies webhooks without the schema library", () => {
    const zod = join(installed.folder, "node_modules/zod");
    renameSync(zod, `${zod}-away`);
    try {
      const text = `import { verifyWebhook } from "malipo/webhooks"; console.log(typeof verifyWebhook);`;
      expect(installed.run("lock.mjs", text)).toBe("function\n");
    } finally {
      renameSync(`${zod}-away`, zod);
    }
  });

  test("carries the service as OpenAPI, as the sources have it", () => {
    const text = `
      import service from "malipo/openapi.json" with { type: "json" };
      console.log(JSON.stringify(service));
    `;
    const { prefix, port } = ASSUMPTIONS.address.value;
    expect(JSON.parse(installed.run("openapi.mjs", text))).toEqual(
      openApiDocument(`http://127.0.0.1:${port}${prefix}`),
    );
  });

  test("brings a command line that needs nothing else", async () => {
    const zod = join(installed.folder, "node_modules/zod");
    renameSync(zod, `${zod}-away`);
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
      renameSync(`${zod}-away`, zod);
    }
  });

  test("keeps its inside to itself", () => {
    const text = `
      const tries = ["malipo/dist/index.js", "malipo/client", "malipo/src/index.ts"];
      const codes = tries.map((name) => import(name).then(() => "open", ({ code }) => code));
      console.log((await Promise.all(codes)).join());
    `;
    expect(installed.run("closed.mjs", text)).toBe(
      `${Array(3).fill("ERR_PACKAGE_PATH_NOT_EXPORTED").join()}\n`,
    );
  });

  test("ships the build, the licences and the README, and nothing else", () => {
    const outside = installed.files.filter((path) => !path.startsWith("dist/"));
    expect(outside.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(installed.files).toContain("dist/LICENSE.noble-hashes.txt");
    expect(installed.files.filter((path) => path.endsWith(".map"))).toEqual([]);
    expect(installed.files).toContain("dist/LICENSE.zod.txt");
    expect(installed.unpackedBytes).toBeLessThanOrEqual(1_050_000);
  });
});
