// Runs the services of a compose file without Docker: each on its own machine of a network, as a process.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { untilIt } from "../../support/running.ts";

/** What one service of the file says. */
export interface Service {
  readonly image: string;
  readonly user: string;
  readonly working_dir: string;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly ports: readonly string[];
  readonly healthcheck: { readonly test: readonly string[]; readonly interval: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly tmpfs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface Mapping {
  [key: string]: Mapping | string | readonly string[];
}

/**
 * Reads the part of YAML that the file keeps to: keys that are indented by two spaces, plain texts, lists of quoted
 * texts in one line, and comments in lines of their own.
 *
 * @throws {Error} for any other line.
 */
function readYaml(text: string): Mapping {
  const open: Mapping[] = [{}];
  for (const line of text.split("\n")) {
    if (/^ *(?:#.*)?$/.test(line)) continue;
    const match = /^((?: {2})*)(\w+):(?: (\[".*"\]|[\w./:-]+))?$/.exec(line);
    const depth = (match?.[1] ?? "").length / 2;
    const mapping = open[depth];
    if (match === null || mapping === undefined) throw new Error(`This line is not read: ${line}`);
    const [, , key = "", value] = match;
    const inner: Mapping = {};
    open.splice(depth + 1, open.length, ...(value === undefined ? [inner] : []));
    mapping[key] = value === undefined ? inner : value.startsWith("[") ? JSON.parse(value) : value;
  }
  return open[0] ?? {};
}

export const readCompose = (path: string) =>
  readYaml(readFileSync(path, "utf8")).services as unknown as Readonly<Record<string, Service>>;

/** A service that runs. */
export interface Container {
  readonly printed: () => string;
  /** As `docker compose stop` ends it. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** A machine of the network, and what is in its container. */
export interface Place {
  /** The words that run a command there, in the folder of the volume. */
  readonly on: readonly string[];
  /** Holds what the service writes. */
  readonly data: string;
}

/** No setting of the developer, and the Node.js of the tests in the place of the image's. */
function environmentOf({ environment = {}, tmpfs = [] }: Service, data: string): NodeJS.ProcessEnv {
  const runFolder = join(data, "run");
  mkdirSync(runFolder, { recursive: true, mode: 0o700 });
  const own = Object.entries(environment).map(([name, value]) => {
    const isOnTmpfs = tmpfs.some((folder) => value === folder || value.startsWith(`${folder}/`));
    return [name, isOnTmpfs ? join(data, value) : value];
  });
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: data,
    XDG_RUNTIME_DIR: runFolder,
    ...Object.fromEntries(own),
  };
}

/** Runs a command in a container, as `docker compose exec` does. */
export function execIn(service: Service, { on, data }: Place, ...words: string[]) {
  const [program = "", ...args] = [...on, ...words];
  return spawnSync(program, args, { env: environmentOf(service, data), encoding: "utf8" });
}

/** Starts a service, and waits until its health check says that it is ready. */
export async function startService(service: Service, place: Place): Promise<Container> {
  const { command, healthcheck } = service;
  // In a compose file, `$$` is a dollar sign.
  const words = command.map((word) => word.replaceAll("$$", "$"));
  const [program = "", ...args] = [...place.on, ...words];
  const child: ChildProcess = spawn(program, args, {
    env: environmentOf(service, place.data),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  }
  const exit = once(child, "exit");
  const printed = () => text;
  const [kind, ...check] = healthcheck.test;
  if (kind !== "CMD") throw new Error(`A health check of the kind ${kind} is not run.`);
  try {
    await untilIt({ child, printed }, () => execIn(service, place, ...check).status === 0);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    printed,
    stop: async () => {
      child.kill("SIGTERM");
      return (await exit)[0];
    },
  };
}
