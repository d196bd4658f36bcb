import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "./peers/load.ts";

/** The folder of the installed peers: what malipo is measured beside. */
export const PEERS_FOLDER: string = fileURLToPath(new URL("./peers", import.meta.url));

/** Installs the peers at the versions of their lock file. */
export function installPeers(): void {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: PEERS_FOLDER, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm ci failed in ${PEERS_FOLDER}.`);
}

/** A peer's module. Its types are not installed with the project: the caller declares what it uses. */
export const peer = async <Module>(name: string): Promise<Module> => (await load(name)) as Module;

/** The version of a peer that is measured. */
export function peerVersion(name: string): string {
  const { version } = JSON.parse(
    readFileSync(`${PEERS_FOLDER}/node_modules/${name}/package.json`, "utf8"),
  );
  return version;
}
