import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { PEERS_FOLDER, peerVersion } from "./peers.ts";
import type { Measured } from "./table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Import {
  readonly name: string;
  readonly code: string;
  readonly from?: string;
  readonly platform?: "node" | "browser";
  readonly limit?: number;
}

const versioned = (name: string) => `${name} ${peerVersion(name)}`;

const imports = (name: string, from: string) => `export { ${name} } from "${from}";`;

const rows = (): readonly Import[] => [
  {
    name: "malipo, Gateway for browsers",
    code: imports("Gateway", "malipo"),
    from: ROOT,
    limit: 22,
  },
  {
    name: "malipo, Gateway for Node",
    code: imports("Gateway", "malipo"),
    from: ROOT,
    platform: "node",
    limit: 28,
  },
  {
    name: "malipo, followPayment",
    code: imports("followPayment", "malipo/status"),
    from: ROOT,
    limit: 3,
  },
  {
    name: "malipo, verifyWebhook for Node",
    code: imports("verifyWebhook", "malipo/webhooks"),
    from: ROOT,
    platform: "node",
    limit: 2.4,
  },
  {
    name: "malipo, verifyWebhook for browsers",
    code: imports("verifyWebhook", "malipo/webhooks"),
    from: ROOT,
    limit: 5.2,
  },
  { name: versioned("ky"), code: imports("default", "ky") },
  { name: `${versioned("stripe")}, client`, code: imports("default", "stripe") },
  { name: `${versioned("resend")}, client`, code: imports("Resend", "resend") },
  { name: `${versioned("openai")}, client`, code: imports("default", "openai") },
  {
    name: `${versioned("@octokit/webhooks-methods")}, verify for Node`,
    code: imports("verify", "@octokit/webhooks-methods"),
    platform: "node",
  },
  { name: versioned("standardwebhooks"), code: imports("Webhook", "standardwebhooks") },
  { name: `${versioned("svix")}, Webhook`, code: imports("Webhook", "svix") },
];

/** What a page downloads at first: the entry and what it imports statically. */
const withoutPartsOnDemand: Plugin = {
  name: "without-parts-on-demand",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    ),
};

async function kiloBytes({ code, from = PEERS_FOLDER, platform = "browser" }: Import) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: from },
    bundle: true,
    plugins: [withoutPartsOnDemand],
    write: false,
    minify: true,
    format: "esm",
    platform,
    // Peers may import modules of Node.js that a browser's bundle leaves out.
    external: platform === "browser" ? ["node:*", "crypto", "http", "https", "fs", "path"] : [],
    tsconfigRaw: {},
    logLevel: "error",
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length / 1_000;
}

/** The size of an import after bundling, minifying and compressing. */
export async function benchSize(): Promise<Measured> {
  const measured: (Import & { readonly kB: number })[] = [];
  for (const row of rows()) measured.push({ ...row, kB: await kiloBytes(row) });
  return {
    title: "Size",
    how: "Bundled with esbuild and all dependencies, minified, gzip -9; for browsers unless the row says otherwise.",
    columns: ["import", "kB"],
    rows: measured.map(({ name, kB }) => [name, kB.toFixed(2)]),
    bars: measured.map(({ name, kB }) => ({ label: name, value: kB, text: `${kB.toFixed(1)} kB` })),
    goals: measured.flatMap(({ name, kB, limit }) =>
      limit === undefined
        ? []
        : [{ text: `${name} at most ${limit} kB: ${kB.toFixed(2)}`, met: kB <= limit }],
    ),
  };
}
