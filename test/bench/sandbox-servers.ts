import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PEERS_FOLDER, peerVersion } from "./peers.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { atMost, type Goal } from "./table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
// No port that the system gives to a client: one that asks again and again, while nothing listens, connects to itself.
const PORT = 21_870;
const OPENAPI = `${ROOT}/dist/openapi.json`;

/** A gateway on the laptop, as a command. */
interface Server {
  readonly name: string;
  readonly args: readonly string[];
  /** The first request, and the status that shows that the server is ready. */
  readonly path: string;
  readonly status: number;
}

/** The start and the memory of a server. */
export interface ServerCost {
  readonly name: string;
  /** From its start to its first response, in milliseconds. */
  readonly readyMs: number;
  /** Its memory after that, in MB. */
  readonly residentMb: number;
}

export const OURS = "malipo sandbox";
export const BARE_SERVER = "bare node:http";

const BARE = `require("node:http").createServer((_, response) => response.end("{}")).listen(${PORT}, "127.0.0.1")`;

const peerFile = (path: string) => `${PEERS_FOLDER}/node_modules/${path}`;

/** The peers start from our own OpenAPI document. */
function peers(): Server[] {
  const prism = peerFile("@stoplight/prism-cli/dist/index.js");
  const mockoon = peerFile("@mockoon/cli/bin/run.js");
  const port = String(PORT);
  return [
    ...(existsSync(prism)
      ? [
          {
            name: `Prism ${peerVersion("@stoplight/prism-cli")}`,
            args: [prism, "mock", "--port", port, OPENAPI],
            path: "/merchant",
            status: 401,
          },
        ]
      : []),
    ...(existsSync(mockoon)
      ? [
          {
            name: `Mockoon CLI ${peerVersion("@mockoon/cli")}`,
            args: [mockoon, "start", "--data", OPENAPI, "--port", port],
            path: "/api/v1/merchant",
            status: 200,
          },
        ]
      : []),
  ];
}

const SERVERS: readonly Server[] = [
  { name: BARE_SERVER, args: ["--eval", BARE], path: "/", status: 200 },
  {
    name: OURS,
    args: [`${ROOT}/dist/cli.js`, "sandbox", "--port", String(PORT)],
    path: "/api/v1/merchant",
    // No key was sent.
    status: 401,
  },
  ...peers(),
];

/** The status of the response; `undefined` while nothing listens. */
const request = (path: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = get({ host: "127.0.0.1", port: PORT, path, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    sent.on("error", () => resolve(undefined));
  });

const residentMb = ({ pid }: ChildProcess): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1024;

async function start({ name, args, path, status }: Server): Promise<[number, number]> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore", cwd: ROOT });
  const ended = once(child, "exit");
  try {
    let seen = await request(path);
    while (seen === undefined) {
      if (child.exitCode !== null) throw new Error(`${name} ended before it responded.`);
      await setTimeout(1);
      seen = await request(path);
    }
    const readyMs = performance.now() - began;
    if (seen !== status) throw new Error(`${name} returned ${seen} instead of ${status}.`);
    // It may still be loading modules.
    await setTimeout(300);
    return [readyMs, residentMb(child)];
  } finally {
    child.kill();
    await ended;
  }
}

/** Starts every server a number of times, interleaved. A failed start is printed and not counted. */
export async function measureServers(rounds: number): Promise<ServerCost[]> {
  const taken = SERVERS.map((): [number, number][] => []);
  const steps = countSteps("starts of servers", rounds * SERVERS.length);
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of SERVERS.entries()) {
      try {
        taken[index]?.push(await start(server));
      } catch (error) {
        if (server.name === OURS) throw error;
        console.error(String(error));
      }
      steps.step();
    }
  }
  steps.end();
  return SERVERS.flatMap(({ name }, index) => {
    const starts = taken[index] ?? [];
    if (starts.length === 0) return [];
    const [readyMs, residentMb] = [starts.map(([ms]) => ms), starts.map(([, mb]) => mb)];
    return { name, readyMs: median(readyMs), residentMb: median(residentMb) };
  });
}

/** Runs `malipo --version` a number of times. Returns the median time from its start to its end, in milliseconds. */
export async function measureVersion(rounds: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const child = spawn(process.execPath, [`${ROOT}/dist/cli.js`, "--version"], {
      stdio: "ignore",
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`malipo --version ended with the code ${code}.`);
    taken.push(performance.now() - began);
  }
  return median(taken);
}

/** In milliseconds. */
interface StartTimes {
  /** A bare server's first response. */
  readonly bareMs: number;
  /** The sandbox's first response. */
  readonly readyMs: number;
  /** The end of `malipo --version`. */
  readonly versionMs: number;
}

export const startGoals = ({ bareMs, readyMs, versionMs }: StartTimes): Goal[] => [
  atMost("the sandbox is ready after a bare server by", 40, readyMs - bareMs, "ms", 0),
  atMost("--version ends after a bare server is ready by", 25, versionMs - bareMs, "ms", 0),
];
