// Compiles a user's code against the packed declarations, with every supported compiler and module
// resolution, without skipLibCheck. Then prints what one import costs a compiler.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPacked } from "../support/installed.ts";

const TOOLS = fileURLToPath(new URL("./tools", import.meta.url));

const COMPILERS = ["5.9", "6.0", "7.0"];
const RESOLUTIONS = [
  { name: "node16", module: "node16" },
  { name: "nodenext", module: "nodenext" },
  { name: "bundler", module: "esnext" },
];

/** A user's code, with every entry point that works without the types of a framework. */
const USE = `
import { Gateway, type Payment, isGatewayError, PaymentPendingError } from "malipo";
import { sqliteIdempotency } from "malipo/idempotency/sqlite";
import { createWebhookReceiver, isKnownEvent, verifyWebhook } from "malipo/webhooks";
import { fetchHandler } from "malipo/fetch";
import { nodeHandler } from "malipo/node";
import { lambdaHandler } from "malipo/lambda";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createSandbox } from "malipo/sandbox";
import { usePayment } from "malipo/react";

declare module "malipo" {
  interface Invoice {
    total: string;
  }
}

const sandbox = createSandbox({ seed: 1 });
const gateway = new Gateway({ apiKey: sandbox.keys.secret, idempotency: sqliteIdempotency("keys.db") });
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

const receiver = createWebhookReceiver({ secret: "s", inbox: sqliteInbox("inbox.db") });
receiver.on("payment.completed", (event, { idempotencyKey }) => {
  const amount: string | undefined = event.data.amount;
  return [amount, idempotencyKey];
});
export const handlers = [fetchHandler(receiver), nodeHandler(receiver), lambdaHandler(receiver)];
const event = verifyWebhook({ body: "", signature: "", secret: "s" });
export const reference = isKnownEvent(event, "payment.failed") ? event.data.reference : undefined;
`;

const STRICT = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023"];

function compile(version: string, folder: string, args: readonly string[]): string {
  const tsc = join(TOOLS, `node_modules/typescript-${version}/bin/tsc`);
  return execFileSync(process.execPath, [tsc, ...args], { cwd: folder, encoding: "utf8" });
}

/** A separate folder for the peers: ours has a tsconfig.json. */
const peers = mkdtempSync(join(tmpdir(), "malipo-types-"));
symlinkSync(join(TOOLS, "node_modules"), join(peers, "node_modules"));
const installed = installPacked("@types/node@24", "@types/react@19");
let failed = 0;
try {
  for (const [name, kind] of [
    ["use.mts", "ESM"],
    ["use.cts", "CommonJS"],
  ] as const) {
    writeFileSync(join(installed.folder, name), USE);
    for (const version of COMPILERS) {
      for (const { name: resolution, module } of RESOLUTIONS) {
        const what = `TypeScript ${version}, ${resolution}, ${kind}`;
        try {
          const how = ["--module", module, "--moduleResolution", resolution];
          compile(version, installed.folder, [
            ...STRICT,
            ...how,
            "--skipLibCheck",
            "false",
            "--types",
            "node",
            name,
          ]);
          console.log(`${what.padEnd(40)} compiles`);
        } catch (error) {
          failed++;
          console.log(
            `${what.padEnd(40)} FAILS\n${(error as { stdout?: string }).stdout ?? error}`,
          );
        }
      }
    }
  }

  console.log("\nWhat one import costs the compiler (TypeScript 6.0, nodenext)\n");
  const IMPORTS = [
    { name: "nothing", code: "export {};", folder: installed.folder },
    {
      name: "malipo",
      code: `import { Gateway } from "malipo"; export const client = new Gateway({ apiKey: "sk_1" });`,
      folder: installed.folder,
    },
    {
      name: "stripe",
      code: `import Stripe from "stripe"; export const client = new Stripe("sk_1");`,
      folder: peers,
    },
    {
      name: "openai",
      code: `import OpenAI from "openai"; export const client = new OpenAI({ apiKey: "sk_1" });`,
      folder: peers,
    },
  ];
  const FIGURES = ["Files", "Lines of Definitions", "Instantiations", "Memory used", "Check time"];
  console.log(["import".padEnd(10), ...FIGURES.map((figure) => figure.padStart(22))].join(""));
  for (const { name, code, folder } of IMPORTS) {
    writeFileSync(join(folder, "cost.mts"), code);
    const how = ["--module", "nodenext", "--skipLibCheck", "--extendedDiagnostics"];
    const said = compile("6.0", folder, [...STRICT, ...how, "cost.mts"]);
    const figures = FIGURES.map((figure) =>
      (new RegExp(`^${figure}:\\s+(\\S+)`, "m").exec(said)?.[1] ?? "-").padStart(22),
    );
    console.log([name.padEnd(10), ...figures].join(""));
  }
} finally {
  installed.remove();
  rmSync(peers, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);
