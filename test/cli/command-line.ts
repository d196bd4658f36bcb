import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** What the shell of whoever runs the tests has set is not to be seen. */
const CLEAN = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(MALIPO_|npm_|NO_COLOR|FORCE_COLOR)/.test(name),
  ),
);

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever a command prints
  readonly json: () => any;
}

export interface Given {
  readonly input?: string | Uint8Array;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

function start(args: readonly string[], { env = {}, cwd }: Given): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    stdio: "pipe",
    // One that should have ended and did not must not outlive the tests.
    timeout: 120_000,
    killSignal: "SIGKILL",
    env: { ...CLEAN, ...env },
    ...(cwd !== undefined && { cwd }),
  });
}

/** Runs `malipo` to its end. */
export async function malipo(args: readonly string[], given: Given = {}): Promise<Ended> {
  const child = start(args, given);
  child.stdin?.on("error", () => {});
  child.stdin?.end(given.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([
    buffer(child.stdout as NodeJS.ReadableStream),
    buffer(child.stderr as NodeJS.ReadableStream),
    once(child, "exit"),
  ]);
  const text = stdout.toString();
  return { code, stdout: text, stderr: stderr.toString(), json: () => JSON.parse(text) };
}

/** `malipo sandbox` while it runs. */
export interface Running {
  // biome-ignore lint/suspicious/noExplicitAny: what `sandbox --json` prints
  readonly ready: any;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** What the commands that talk to it take. */
  readonly url: readonly string[];
  /** What the commands that talk to any gateway take. */
  readonly env: Record<string, string>;
  call(method: string, path: string, body?: object): Promise<Response>;
  /** Gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startSandbox(args: readonly string[] = [], given: Given = {}) {
  const child = start(["sandbox", "--port", "0", "--json", ...args], given);
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
  const { base_url, keys, url } = ready as unknown as Running["ready"];
  const running: Running = {
    ready,
    child,
    stderr: () => stderr,
    url: ["--url", url],
    env: { MALIPO_API_KEY: keys.secret, MALIPO_BASE_URL: base_url },
    call: (method, path, body) =>
      fetch(base_url + path, {
        method,
        headers: { "x-api-key": keys.secret },
        ...(body && { body: JSON.stringify(body) }),
      }),
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

/** A webhook receiver on real HTTP that keeps what it was sent. */
export async function startReceiver(
  answer: (received: Received, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const one = { body: await buffer(request), headers: request.headers };
    received.push(one);
    answer(one, response);
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
