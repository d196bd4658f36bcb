import { renameSync, rmSync, writeFileSync } from "node:fs";
import { EVENT_KINDS } from "../../contract/events.ts";
import { createSandbox, type Sandbox, type ServedSandbox } from "../../sandbox/index.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure, usage } from "../failure.ts";
import { addressOf, wholeNumber } from "../input/values.ts";
import { createStateSaver, restoreState } from "../state-file.ts";
import { say, warn } from "../terminal/output.ts";
import { banner, type Ready } from "../terminal/sandbox-banner.ts";
import { logLines } from "../terminal/sandbox-log.ts";

const MOST_PORT = 65_535;

export async function run({ text, json }: Input): Promise<number> {
  // The table lists the choices, and what is none of them does not get here.
  const clock = (text.clock ?? "real") as "real" | "virtual";
  const auto = (text.auto ?? "magic") as "approve" | "none" | "magic";
  const port = wholeNumber("port", text.port ?? "4010", 0, MOST_PORT);
  const webhook = text.webhook && addressOf("--webhook", text.webhook).href;
  const readyFile = text["ready-file"];
  const { state, seed } = text;

  const sandbox = createSandbox({ clock, auto, seed });
  const { restored, aside } = state ? restoreState(sandbox, state, clock) : { restored: false };
  if (aside) warn(`malipo: ${state} is damaged. It was kept as ${aside}; this is a new world.`);
  if (restored && seed !== undefined)
    warn(`malipo: --seed is for new worlds; ${state} has its own.`);
  if (webhook) await register(sandbox, webhook);

  const saver =
    state && createStateSaver(sandbox, state, clock, (message) => warn(`malipo: ${message}`));
  const served = await listen(sandbox, port);
  try {
    if (saver) await saver.now();
    const ready: Ready = {
      url: served.url,
      base_url: served.baseUrl,
      page: `${served.url}/`,
      keys: sandbox.keys,
      webhook_secret: sandbox.webhookSecret,
      clock,
      auto,
      webhook: webhook ?? null,
      state: state ?? null,
      restored,
      pid: process.pid,
    };
    sandbox.watch((activity) => {
      if (saver) saver.soon();
      if (!json) for (const line of logLines(activity)) say(line);
    });
    const stopped = untilStopped();
    if (readyFile) writeReady(readyFile, ready);
    say(json ? JSON.stringify(ready) : banner(ready));
    await stopped;
  } finally {
    await served.close();
    if (readyFile) rmSync(readyFile, { force: true });
  }
  if (saver) await saver.now();
  if (!json) say(state ? `Stopped. The world is kept in ${state}.` : "Stopped.");
  // A delivery that waits for its answer must not hold the process back: it is in the state file.
  process.exit(EXIT.ok);
}

const LOOK_MS = 500;

/** Resolves at the first signal to stop; the second ends the process at once. */
const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => resolve());
    }
    // npm passes on what the keyboard sends, but ends by itself at `kill`, and leaves its child
    // behind, with the port.
    const { ppid, env } = process;
    if (env.npm_command === undefined) return;
    const timer = setInterval(() => {
      if (process.ppid === ppid) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
  });

async function listen(sandbox: Sandbox, port: number): Promise<ServedSandbox> {
  try {
    return await sandbox.serve({ port });
  } catch (error) {
    const { code } = Object((error as Error).cause ?? error) as { code?: unknown };
    if (code === "EADDRINUSE") {
      const other = port < MOST_PORT ? port + 1 : 0;
      const message = `Port ${port} is in use. Is a sandbox running already? Another port: malipo sandbox --port ${other}`;
      throw new Failure(EXIT.portInUse, "port_in_use", message, { cause: error });
    }
    if (code === "EACCES") throw usage(`Port ${port} is not for everybody. Take one above 1023.`);
    throw error;
  }
}

/** Registers a receiver for all eight kinds, once: a state file may know it already. */
async function register(sandbox: Sandbox, url: string): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await sandbox.fetch(sandbox.baseUrl + path, {
      method,
      headers: { "x-api-key": sandbox.keys.secret },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const { data } = await call("GET", "/webhooks?per_page=100");
  const known = data.find((one: { url: string }) => one.url === url);
  const answer = known
    ? await call("PUT", `/webhooks/${known.id}`, { events: EVENT_KINDS })
    : await call("POST", "/webhooks/register", {
        name: "malipo sandbox",
        url,
        events: EVENT_KINDS,
      });
  if (!answer.success) throw usage(`--webhook: ${answer.error}`);
}

function writeReady(path: string, ready: Ready): void {
  try {
    // The keys are in it: for its owner alone. Whoever waits for it finds it whole.
    const draft = `${path}.tmp`;
    writeFileSync(draft, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    throw usage(
      `--ready-file: ${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}
