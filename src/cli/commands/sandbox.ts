import { randomUUID } from "node:crypto";
import { EVENT_KINDS } from "../../contract/events.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isLoopback } from "../../internal/urls.ts";
import { encodeProfile } from "../../profile/file-format.ts";
import { createSandbox, type Sandbox, type ServedSandbox } from "../../sandbox/index.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { SANDBOX } from "../flags/sandbox.ts";
import { pathOf } from "../input/files.ts";
import { stopSignal } from "../io.ts";
import { readProfile } from "../learn/profile-arguments.ts";
import { portError } from "../port-error.ts";
import { removeReadyFile, writeReadyFile } from "../sandbox/private-files.ts";
import { registerSandbox } from "../sandbox/registry.ts";
import { banner } from "../sandbox/sandbox-banner.ts";
import { logLines } from "../sandbox/sandbox-log.ts";
import { describeReady, readSettings, type Settings } from "../sandbox/sandbox-settings.ts";
import { createStateSaver, restoreState } from "../sandbox/state-file.ts";
import { printError, printLine } from "../terminal/output.ts";

export async function run(input: Input<FlagsOf<typeof SANDBOX>>): Promise<number> {
  const { flags, json, io } = input;
  const warn = (message: string) => printError(io, `malipo: ${message}`);
  const settings = readSettings(input);
  const { clock, auto, country, profile: path } = settings;
  const testNetwork = settings.network !== undefined;
  const state = settings.state && pathOf(io, settings.state);
  // A seed that everybody knows would make keys that every web page knows.
  const seed = settings.seed ?? randomUUID();
  const readyFile = flags["ready-file"];
  const profile = path === undefined ? undefined : encodeProfile(readProfile(io, path));
  // A seed repeats a transcript, timestamps included. Otherwise virtual time begins today, since an
  // inbox takes events that were signed long ago for replays.
  const startAt = clock === "virtual" && settings.seed === undefined ? new Date() : undefined;
  const sandbox = createSandbox({ clock, startAt, auto, seed, country, profile, testNetwork });
  const restored = restore(sandbox, { ...settings, state }, warn);
  if (settings.webhook) await registerReceiver(sandbox, settings.webhook);
  const saver = state ? createStateSaver(sandbox, state, clock, warn) : undefined;
  const server = await listen(sandbox, settings.serve);
  const registration = registerSandbox(io, server.url);
  if (registration === undefined) {
    warn(`Commands cannot find this sandbox. Give them its address: --url ${server.url}`);
  }
  if (!isLoopback(settings.serve.host)) {
    warn(`Every machine that reaches port ${server.port} can use this sandbox and read its keys.`);
  }
  try {
    await saver?.saveNow().catch(toUsageError);
    sandbox.watch((activity) => {
      saver?.saveSoon();
      const now = sandbox.clock.now().getTime();
      if (!json) for (const line of logLines(activity, now)) printLine(io, line);
    });
    const stopped = stopSignal(io);
    const ready = describeReady(sandbox, server, settings, restored);
    if (readyFile) await writeReadyFile(io, readyFile, ready);
    printLine(io, json ? JSON.stringify(ready) : banner(ready, registration?.isFound ?? false));
    await stopped;
  } finally {
    registration?.remove();
    await server.close();
    if (readyFile) await removeReadyFile(io, readyFile);
  }
  await saver?.saveNow();
  if (!json)
    printLine(io, state ? `Stopped. The state is saved in ${settings.state}.` : "Stopped.");
  // A delivery in flight must not keep the process alive. The state file has it.
  io.exit(EXIT.ok);
  return EXIT.ok;
}

/** At the start, a state file that cannot be written is a wrong value of `--state`. */
function toUsageError(error: CliError): never {
  throw new CliError(error.code, error.message, { cause: error, exitCode: EXIT.usage });
}

/** Restores the state file, if there is one. Says whether it did. */
function restore(
  sandbox: Sandbox,
  { state, clock, seed }: Settings,
  warn: (message: string) => void,
): boolean {
  if (!state) return false;
  const { restored, movedTo } = restoreState(sandbox, state, clock);
  if (movedTo) warn(`${state} is damaged. It was moved to ${movedTo}. The sandbox starts empty.`);
  if (restored && seed !== undefined) {
    warn(`--seed has no effect: the keys and references of ${state} are used.`);
  }
  return restored;
}

/** Registers a receiver for all events. A restored state may have it already: it is not doubled. */
async function registerReceiver(sandbox: Sandbox, url: string): Promise<void> {
  // Read from the state: with a profile, a response may have any form.
  const { webhooks } = sandbox.snapshot() as unknown as { webhooks: { id: string; url: string }[] };
  const present = webhooks.find((webhook) => webhook.url === url);
  const response = present
    ? await call(sandbox, "PUT", `/webhooks/${present.id}`, { events: EVENT_KINDS })
    : await call(sandbox, "POST", "/webhooks/register", {
        name: "malipo sandbox",
        url,
        events: EVENT_KINDS,
      });
  const text = await response.text();
  if (!response.ok || /"success":false/.test(text)) {
    throw usageError(`--webhook: the sandbox rejected ${url}: ${errorIn(text)}`);
  }
}

/** The error of a response; all of it, if a profile has another form of error. */
function errorIn(text: string): string {
  const [, error] = /"error":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return error ?? text;
}

function call(
  { fetch, baseUrl, keys }: Sandbox,
  method: string,
  path: string,
  body: object,
): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    headers: { "x-api-key": keys.secret },
    body: JSON.stringify(body),
  });
}

async function listen(sandbox: Sandbox, options: Settings["serve"]): Promise<ServedSandbox> {
  const { port } = options;
  try {
    return await sandbox.serve(options);
  } catch (error) {
    const { code } = Object((error as Error).cause ?? error) as { code?: unknown };
    if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL" || code === "EINVAL") {
      throw usageError(`--host: this machine has no address ${options.host} (${code}).`);
    }
    throw portError(error, port, "malipo sandbox", " A sandbox may already be running.");
  }
}
