import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Running } from "../support/running.ts";

export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Sandboxes of other test files and of the developer must not be found. */
const RUN_FOLDER = mkdtempSync(join(tmpdir(), "malipo-run-"));
process.once("exit", () => rmSync(RUN_FOLDER, { recursive: true, force: true }));

/** The environment without the variables that the shell of the developer may have set. */
export const CLEAN_ENV: Record<string, string | undefined> = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(MALIPO_|npm_|NO_COLOR|FORCE_COLOR)/.test(name),
    ),
  ),
  XDG_RUNTIME_DIR: RUN_FOLDER,
};

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The document that `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: every command prints another shape
  readonly json: () => any;
}

export interface Surroundings {
  readonly input?: string | Uint8Array;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Another copy of the command line. */
  readonly cli?: string;
}

function start(args: readonly string[], { env = {}, cwd, cli = CLI }: Surroundings): ChildProcess {
  return spawn(process.execPath, [cli, ...args], {
    stdio: "pipe",
    // A process that does not end must not outlive the tests.
    timeout: 600_000,
    killSignal: "SIGKILL",
    env: { ...CLEAN_ENV, ...env },
    ...(cwd !== undefined && { cwd }),
  });
}

/** Runs the `malipo` of `dist` in a process, and waits until it ends. */
export async function installedMalipo(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Exit> {
  const child = start(args, surroundings);
  child.stdin?.on("error", () => {});
  child.stdin?.end(surroundings.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([
    buffer(child.stdout as NodeJS.ReadableStream),
    buffer(child.stderr as NodeJS.ReadableStream),
    once(child, "exit"),
  ]);
  const text = stdout.toString();
  return { code, stdout: text, stderr: stderr.toString(), json: () => JSON.parse(text) };
}

/** A command while it runs. */
export interface Started extends Running {
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts the `malipo` of `dist` in a process, and does not wait. */
export function startMalipo(args: readonly string[], surroundings: Surroundings = {}): Started {
  const child = start(args, surroundings);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      output += data;
    });
  }
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return { child, printed: () => output, ended };
}

/** How a test uses a sandbox that `malipo sandbox` has started. */
export interface Sandbox {
  // biome-ignore lint/suspicious/noExplicitAny: the document that `sandbox --json` prints
  readonly ready: any;
  /** The flag for the commands that act on a running sandbox. */
  readonly url: readonly string[];
  /** The environment for the commands that call a gateway. */
  readonly env: Record<string, string>;
  call(method: string, path: string, body?: object): Promise<Response>;
}

/** @param ready - The document that `sandbox --json` prints. */
export function sandboxOf(ready: Sandbox["ready"]): Sandbox {
  const { base_url, keys, url } = ready;
  return {
    ready,
    url: ["--url", url],
    env: { MALIPO_API_KEY: keys.secret, MALIPO_BASE_URL: base_url },
    call: (method, path, body) =>
      fetch(base_url + path, {
        method,
        headers: { "x-api-key": keys.secret },
        ...(body && { body: JSON.stringify(body) }),
      }),
  };
}

/** `malipo sandbox` while its process runs. */
interface SandboxProcess extends Sandbox {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startSandboxProcess(
  args: readonly string[] = [],
  surroundings: Surroundings = {},
) {
  const child = start(["sandbox", "--port", "0", "--json", ...args], surroundings);
  const ended = once(child, "exit");
  let stdout = "";
  let stderr = "";
  child.stderr?.on("data", (data) => {
    stderr += data;
  });
  const ready = await new Promise<{ [name: string]: never }>((resolve, reject) => {
    child.stdout?.on("data", (data) => {
      stdout += data;
      if (stdout.includes("\n")) resolve(JSON.parse(stdout));
    });
    child.once("exit", (code) => reject(new Error(`exit ${code}: ${stdout}${stderr}`)));
  });
  const running: SandboxProcess = {
    ...sandboxOf(ready),
    child,
    stderr: () => stderr,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
  return running;
}

export interface Received {
  readonly body: Buffer;
  readonly headers: IncomingMessage["headers"];
}

/** A webhook receiver on real HTTP that keeps every request. */
export async function startReceiver(
  respond: (received: Received, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const one = { body: await buffer(request), headers: request.headers };
    received.push(one);
    respond(one, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
