import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { freePort } from "../../../src/drill/child.ts";
import { type Engine, say, startEngine } from "./engine.ts";

/** A Restate server. `url` is its ingress. */
export interface RestateEngine extends Engine {
  readonly adminUrl: string;
}

/** The server's binary, which comes in one package per platform. */
function binary(): string | undefined {
  const { platform, arch } = process;
  const require = createRequire(import.meta.url);
  try {
    const { resolve } = createRequire(require.resolve("@restatedev/restate-server/package.json"));
    return resolve(`@restatedev/restate-server-${platform}-${arch}/bin/restate-server`);
  } catch {
    return undefined;
  }
}

/** Starts a Restate server in a new folder. `undefined` if this platform has none. */
export async function startRestate(): Promise<RestateEngine | undefined> {
  const file = binary();
  if (file === undefined || spawnSync(file, ["--version"]).status !== 0) {
    say("NOT RUN: the tests that need Restate. Install @restatedev/restate-server.");
    return undefined;
  }
  const [admin, node] = [await freePort(), await freePort()];
  const engine = await startEngine({
    name: "restate",
    // biome-ignore format: a setting a line
    command: (folder, port) => ["env",
      "RESTATE_DISABLE_TELEMETRY=true",
      `RESTATE_INGRESS__BIND_ADDRESS=127.0.0.1:${port}`,
      `RESTATE_ADMIN__BIND_ADDRESS=127.0.0.1:${admin}`,
      `RESTATE_BIND_ADDRESS=127.0.0.1:${node}`,
      "RESTATE_DEFAULT_NUM_PARTITIONS=1",
      "RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE=128MiB",
      file, "--base-dir", folder, "--listen-mode", "tcp", "--no-logo",
    ],
    ready: /became Leader/,
    crash: "SIGKILL",
    url: (port) => `http://127.0.0.1:${port}`,
  });
  return { ...engine, adminUrl: `http://127.0.0.1:${admin}` };
}
