import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "./peers/load.ts";

/** Where `npm run bench` installs what malipo is measured beside. */
export const PEERS_FOLDER: string = fileURLToPath(new URL("./peers", import.meta.url));

export const hasPeers = (): boolean => existsSync(`${PEERS_FOLDER}/node_modules`);

/** A peer's module. Its types are not installed with the project: the caller says what it uses. */
export const peer = async <Module>(name: string): Promise<Module> => (await load(name)) as Module;

/** The version of a peer that is measured. */
export function peerVersion(name: string): string {
  const { version } = JSON.parse(
    readFileSync(`${PEERS_FOLDER}/node_modules/${name}/package.json`, "utf8"),
  );
  return version;
}
