// What a user downloads before the first line runs: `npx node scripts/check-size.ts`. Needs a build.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bundler, firstLoadKb, installTarball } from "./first-load.ts";

interface Sized {
  readonly name: string;
  readonly code: string;
  readonly bundlers: readonly Bundler[];
  /** In kB. */
  readonly goal: number;
  /** What it must not pass, in kB, if the goal is missed: see docs/decisions/0003. */
  readonly limit?: number;
}

const BROWSERS: readonly Bundler[] = ["Vite", "webpack", "esbuild with splitting"];
const NODE: readonly Bundler[] = ["esbuild for Node.js"];

const readPayment = (key: string) => `import { Gateway } from "malipo";
const gateway = new Gateway({ apiKey: "${key}", baseUrl: "https://gateway.example/api/v1" });
gateway.payments.get("PAY123").then(({ status }) => console.log(status));`;

const VERIFY = `import { verifyWebhook } from "malipo/webhooks";
console.log(verifyWebhook({ body: "{}", signature: "", secret: "whsec" }));`;

const SIZED: readonly Sized[] = [
  {
    name: "malipo, a page with a public key",
    code: readPayment("pk_123"),
    bundlers: BROWSERS,
    goal: 27,
    limit: 30.6,
  },
  {
    name: "malipo, a server that reads a payment",
    code: readPayment("sk_123"),
    bundlers: NODE,
    goal: 29,
    limit: 32,
  },
  {
    name: "malipo, a page with followPayment",
    code: `import { followPayment } from "malipo/status";
const follow = async () => {
  for await (const { status } of followPayment("/status")) console.log(status);
};
follow();`,
    bundlers: BROWSERS,
    goal: 1.2,
  },
  {
    name: "malipo, a page with usePayment, without React",
    code: `import { usePayment } from "malipo/react";
console.log(usePayment({ url: "/status" }));`,
    bundlers: BROWSERS,
    goal: 3,
  },
  {
    name: "malipo, verifyWebhook",
    code: VERIFY,
    bundlers: NODE,
    goal: 3,
  },
  { name: "malipo, verifyWebhook", code: VERIFY, bundlers: BROWSERS, goal: 5.5, limit: 5.7 },
];

/** A size that was measured. */
export interface MeasuredSize extends Pick<Sized, "name" | "goal" | "limit"> {
  readonly bundler: Bundler;
  readonly kB: number;
}

/** React is not counted: it stands in the folder as a package that does nothing. */
function installEmptyReact(folder: string): void {
  const react = join(folder, "node_modules/react");
  mkdirSync(react, { recursive: true });
  writeFileSync(join(react, "package.json"), `{ "name": "react", "type": "module" }`);
  // Whatever the page has: a bundler must not know what these do.
  const code = "export const { useEffect, useRef, useState } = globalThis.react;";
  writeFileSync(join(react, "index.js"), code);
}

/** Bundles pages and servers of a user, with the packed package installed. */
export async function measureSizes(): Promise<MeasuredSize[]> {
  const folder = installTarball();
  try {
    installEmptyReact(folder);
    const measured: MeasuredSize[] = [];
    for (const { code, bundlers, ...sized } of SIZED) {
      for (const bundler of bundlers) {
        measured.push({ ...sized, bundler, kB: await firstLoadKb(bundler, folder, code) });
      }
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  for (const { name, bundler, kB, goal, limit = goal } of await measureSizes()) {
    const result = kB <= goal ? "met   " : "MISSED";
    console.log(`${result}  ${name}, ${bundler}: ${kB.toFixed(2)} kB, at most ${goal} kB`);
    if (kB > limit) process.exitCode = 1;
  }
}
