// Checks our inboxes against the oldest and the newest release of each engine's library that the peer
// range admits: the types of our sources, and the conformance suite of the inbox.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

interface Peer {
  readonly name: string;
  /** What must be installed with it. */
  readonly beside: readonly string[];
}

const PEERS: readonly Peer[] = [{ name: "bullmq", beside: ["ioredis"] }];

/** How many of the newest releases are tried until one can be installed. */
const MAX_TRIES = 5;

const inOrder = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

function releasesOf(name: string): string[] {
  const { peerDependencies } = read("package.json");
  const args = ["view", `${name}@${peerDependencies[name]}`, "version", "--json"];
  const found: string | string[] = JSON.parse(execFileSync("npm", args, { encoding: "utf8" }));
  return [found].flat().sort(inOrder);
}

function install({ name, beside }: Peer, version: string, folder: string): boolean {
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", "--no-audit", "--no-fund", "--silent", `${name}@${version}`, ...beside];
  return spawnSync("npm", args, { cwd: folder }).status === 0;
}

/** The types of our sources against the release. */
function compile({ name }: Peer, folder: string): boolean {
  const { compilerOptions } = read("tsconfig.json");
  const own = Object.entries<string[]>(compilerOptions.paths);
  const paths = Object.fromEntries(own.map(([from, [to = ""]]) => [from, [join(ROOT, to)]]));
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      paths: { ...paths, [name]: [join(folder, "node_modules", name)] },
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    files: [join(ROOT, `src/webhooks/inbox/${name}/inbox.ts`)],
    include: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return spawnSync("npx", ["tsc", "-p", folder], { cwd: ROOT, stdio: "inherit" }).status === 0;
}

function conforms({ name }: Peer, folder: string): boolean {
  const entry = createRequire(join(folder, "package.json")).resolve(name);
  const config = join(ROOT, "test/runtimes/peers/vitest.config.ts");
  const args = ["vitest", "run", "--config", config, "--root", ROOT, "--reporter", "verbose"];
  const test = `test/webhooks/inbox/${name}/inbox.test.ts`;
  const env = { ...process.env, PEER: name, PEER_ENTRY: entry };
  return spawnSync("npx", [...args, test], { cwd: ROOT, stdio: "inherit", env }).status === 0;
}

function check(peer: Peer, version: string): boolean | undefined {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "malipo-peer-"));
  try {
    if (!install(peer, version, folder)) return undefined;
    const holds = compile(peer, folder) && conforms(peer, folder);
    console.log(`${peer.name} ${version}: ${holds ? "holds" : "FAILED"}`);
    return holds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let failed = 0;
for (const peer of PEERS) {
  const releases = releasesOf(peer.name);
  const oldest = releases[0] as string;
  if (check(peer, oldest) !== true) failed++;
  for (const version of releases.toReversed().slice(0, MAX_TRIES)) {
    if (version === oldest) break;
    const result = check(peer, version);
    if (result === false) failed++;
    if (result !== undefined) break;
    console.log(`${peer.name} ${version} cannot be installed here; an older one is tried.`);
  }
}
process.exit(failed === 0 ? 0 : 1);
