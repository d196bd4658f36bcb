import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENTRY_POINTS, moduleName } from "../../scripts/entry-points.ts";
import { type Installed, installPacked } from "../support/installed.ts";

/**
 * The oldest that the manual names, and the newest of all. With `MALIPO_TEST_LIBRARIES=all` the newest written in
 * TypeScript, too, which is between them.
 */
const COMPILERS = {
  old: "4.7.4",
  ...(process.env.MALIPO_TEST_LIBRARIES === "all" && { six: "6.0.3" }),
  new: "7.0.2",
};

/** How a project finds modules, and the compilers that know it. */
const PROJECTS = [
  { name: "node10", extension: "ts", module: "commonjs", by: ["old", "six"] },
  { name: "node16", extension: "cts", module: "node16", by: ["old", "six", "new"] },
  // For the older ones, this is another name of `node16`.
  { name: "nodenext", extension: "mts", module: "nodenext", by: ["new"] },
  { name: "bundler", extension: "ts", module: "esnext", by: ["six", "new"] },
].map((project) => ({ ...project, by: project.by.filter((name) => name in COMPILERS) }));

/** What an entry point needs beside the types of Node. Types of `pg` are not needed. */
const PEERS: Readonly<Record<string, string>> = {
  fastify: "fastify",
  msw: "msw",
  mysql: "mysql2",
  otel: "@opentelemetry/api",
  redis: "ioredis",
};
/** They take or pass on what only Node has. */
const ON_NODE = /^(?:node|operator|checkout|sqlite|postgres)$/;

const entries = Object.keys(ENTRY_POINTS);
const alone = entries.filter((entry) => PEERS[entry] === undefined);

let installed: Installed;
beforeAll(() => {
  const compilers = Object.entries(COMPILERS).map(
    ([name, version]) => `typescript-${name}@npm:typescript@${version}`,
  );
  installed = installPacked("@types/node@24", ...compilers);
});
afterAll(() => installed?.remove());

/** What a compiler says of our files. The types of Node and of peers need a newer compiler than ours. */
function complaints(
  by: string,
  { name, extension, module }: (typeof PROJECTS)[number],
  names: readonly string[],
  {
    lib = "es2020",
    types = ["node"],
    code,
  }: { lib?: string; types?: string[]; code?: string } = {},
): string[] {
  const texts = names.map(
    (entry) => `import * as all from "${moduleName(entry)}"; export const used: object = all;`,
  );
  const files = [...texts, ...(code ? [code] : [])].map((text, at) => {
    const file = `use-${at}.${extension}`;
    installed.write(file, text);
    return file;
  });
  const compilerOptions = {
    ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
    ...{ module, moduleResolution: name === "node10" ? "node" : name, target: "es2020" },
    ...{ lib: lib.split(","), types },
    ...(by === "six" && name === "node10" && { ignoreDeprecations: "6.0" }),
  };
  installed.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const tsc = join(installed.folder, `node_modules/typescript-${by}/bin/tsc`);
  try {
    execFileSync(process.execPath, [tsc, "-p", "."], { cwd: installed.folder, encoding: "utf8" });
    return [];
  } catch (error) {
    const lines = String((error as { stdout?: string }).stdout).split("\n");
    const theirs = /^(?: |$|(?:\S*\/)?node_modules\/(?!malipo\/)|\.\.\/)/;
    return lines.filter((line) => !theirs.test(line));
  }
}

const USE = `
import { Gateway, type Payment, isGatewayError, PaymentPendingError } from "malipo";
import { fetchHandler } from "malipo/fetch";
import { lambdaHandler } from "malipo/lambda";
import { nodeHandler } from "malipo/node";
import { usePayment } from "malipo/react";
import { createSandbox } from "malipo/sandbox";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver, isKnownEvent, verifyWebhook } from "malipo/webhooks";

declare module "malipo" {
  interface Invoice {
    total: string;
  }
}

const sandbox = createSandbox({ seed: 1 });
const gateway = new Gateway({ apiKey: sandbox.keys.secret, idempotency: sqlite("shop.db") });
export async function pay(): Promise<Payment> {
  const { reference } = await gateway.mobileMoney.initiate(
    { amount: 100, phone: "0712345678" },
    { idempotencyKey: "order-1" },
  );
  try {
    return await gateway.payments.waitFor(reference);
  } catch (error) {
    if (error instanceof PaymentPendingError) throw new Error(error.reference);
    if (isGatewayError(error) && error.code === "rate_limit") throw new Error(String(error.retryAfterMs));
    throw error;
  }
}
export const total: Promise<string> = gateway.invoices.get(1).then(({ total }) => total);
const page = new Gateway({ apiKey: "pk_live_1" });
// @ts-expect-error: a public key cannot start a payment
export const rejected = () => page.mobileMoney.initiate({ amount: 1, phone: "0712345678" });
export const seen = () => usePayment(page, "PAY-1").status;

const receiver = createWebhookReceiver({ secret: "s", inbox: sqlite("shop.db") });
receiver.on("payment.completed", (event, { idempotencyKey }) => {
  const amount: string | undefined = event.data.amount;
  return [amount, idempotencyKey];
});
export const handlers = [fetchHandler(receiver), nodeHandler(receiver), lambdaHandler(receiver)];
const event = verifyWebhook({ body: "", signature: "", secret: "s" });
export const reference = isKnownEvent(event, "payment.failed") ? event.data.reference : undefined;
`;

describe.each(PROJECTS)("the declarations, found by $name", (project) => {
  describe.each(project.by)("the compiler %s", (by) => {
    // One program: a compiler takes seconds to read the declarations.
    test("compile with lib ES2020 and skipLibCheck off, beside a user's code, without the types of a peer", () => {
      expect(complaints(by, project, alone, { code: USE })).toEqual([]);
    });

    // The others find the same declarations.
    if (!/^node(?:16|next)$/.test(project.name)) return;
    test("compile with DOM in place of the types of Node, if they are not of Node alone", () => {
      const anywhere = alone.filter((entry) => !ON_NODE.test(entry));
      expect(complaints(by, project, anywhere, { lib: "es2020,dom", types: [] })).toEqual([]);
    });
  });
});

const MOCK = `
import { gatewayHandlers } from "malipo/msw";
import { createSandbox } from "malipo/sandbox";
import { setupServer } from "msw/node";
export const server = setupServer(...gatewayHandlers(createSandbox()));
`;

describe("with all peers", () => {
  const linkOf = (name: string) => join(installed.folder, "node_modules", name);

  beforeAll(() => {
    for (const name of [
      ...Object.values(PEERS),
      "pg",
      "@types/pg",
      "react",
      "@types/react",
      "@types/better-sqlite3",
      "@types/express",
    ]) {
      const path = linkOf(name);
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(resolve("node_modules", name), path);
    }
  });

  describe.each(PROJECTS)("the declarations, found by $name", (project) => {
    test.each(project.by)("compile under the compiler %s", (by) => {
      // msw 3 is ES modules alone: `node16` lets CommonJS take no types from it.
      const ofModules = project.name === "node16" ? ["msw"] : [];
      const found = complaints(by, project, entries);
      expect(
        found.filter((one) => !ofModules.some((name) => one.includes(`/${name}.d.cts`))),
      ).toEqual([]);
    });
  });

  // The types of msw 2 are others for CommonJS than for ES modules.
  test.each(["msw-2", "msw"])("the handlers fit a server of %s, in an ES module", (version) => {
    rmSync(linkOf("msw"));
    symlinkSync(resolve("node_modules", version), linkOf("msw"));
    for (const project of PROJECTS.filter(({ name }) => /^(?:nodenext|bundler)$/.test(name))) {
      expect(complaints("new", project, [], { code: MOCK })).toEqual([]);
    }
  });
});
