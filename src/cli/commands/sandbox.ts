import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { isLoopback } from "../../internal/loopback.ts";
import { encodeProfile } from "../../profile/file-format.ts";
import { createSandbox, type Sandbox, type ServedSandbox } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl, readWholeNumber } from "../input/flag-values.ts";
import { readProfile } from "../learn/profile-arguments.ts";
import { MAX_PORT, portError } from "../port-error.ts";
import { writeReadyFile } from "../sandbox/private-files.ts";
import type { Ready } from "../sandbox/ready.ts";
import { registerReceiver } from "../sandbox/register-receiver.ts";
import { registerSandbox } from "../sandbox/registry.ts";
import { banner } from "../sandbox/sandbox-banner.ts";
import { logLines } from "../sandbox/sandbox-log.ts";
import { restoreState } from "../sandbox/state-file.ts";
import { StateSaver } from "../sandbox/state-saver.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { printError, printLine } from "../terminal/output.ts";

interface Settings {
  readonly serve: {
    readonly port: number;
    readonly host: string;
    readonly cors: readonly string[];
    readonly allowedHosts: readonly string[];
    readonly command: string;
  };
  readonly clock: Ready["clock"];
  readonly auto: Ready["auto"];
  readonly seed: string | undefined;
  readonly webhook: string | undefined;
  readonly state: string | undefined;
  readonly profile: string | undefined;
}

function readSettings({ values, repeated }: Input): Settings {
  const { host = "" } = values;
  return {
    serve: {
      port: readWholeNumber(values, "port", 0, MAX_PORT),
      host,
      cors: (repeated.cors ?? []).map(checkOrigin),
      allowedHosts: repeated["allow-host"] ?? [],
      command: commandLine(process.argv.slice(2)),
    },
    // The parser has checked both against their choices.
    clock: values.clock as Ready["clock"],
    auto: values.auto as Ready["auto"],
    seed: values.seed,
    webhook: values.webhook && readUrl(values, "webhook").href,
    state: values.state,
    profile: values.profile,
  };
}

function checkOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw usageError(
    `--cors must be an origin, such as https://shop.example: scheme, host and port, without a path; got "${text}".`,
  );
}

/** An argument that a shell does not change. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** The command of this process, as a user types it again. */
const commandLine = (args: readonly string[]): string =>
  [
    "npx malipo",
    ...args.map((arg) => (PLAIN.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)),
  ].join(" ");

export async function run(input: Input): Promise<number> {
  const { values, json } = input;
  const settings = readSettings(input);
  const { clock, auto, state, profile: path } = settings;
  // A seed that everybody knows would make keys that every web page knows.
  const seed = settings.seed ?? randomUUID();
  const readyFile = values["ready-file"];
  const profile = path === undefined ? undefined : encodeProfile(readProfile(path));
  // A seed repeats a transcript, timestamps included. Otherwise virtual time begins today, since an
  // inbox takes events that were signed long ago for replays.
  const startAt = clock === "virtual" && settings.seed === undefined ? new Date() : undefined;
  const sandbox = createSandbox({ clock, startAt, auto, seed, profile });
  const restored = restore(sandbox, settings);
  if (settings.webhook) await registerReceiver(sandbox, settings.webhook);
  const saver = state ? new StateSaver(sandbox, state, clock, warn) : undefined;
  const server = await listen(sandbox, settings.serve);
  const registration = registerSandbox(server.url);
  if (registration.hasFailed) {
    warn(`Commands cannot find this sandbox. Give them its address: --url ${server.url}`);
  }
  if (!isLoopback(settings.serve.host)) {
    warn(`Every machine that reaches port ${server.port} can use this sandbox and read its keys.`);
  }
  try {
    await saver?.saveNow();
    sandbox.watch((activity) => {
      saver?.saveSoon();
      const now = sandbox.clock.now().getTime();
      if (!json) for (const line of logLines(activity, now)) printLine(line);
    });
    const stopped = stopSignal();
    const ready = describeReady(sandbox, server, settings, restored);
    if (readyFile) await writeReadyFile(readyFile, ready);
    printLine(json ? JSON.stringify(ready) : banner(ready, registration.isFound));
    await stopped;
  } finally {
    registration.remove();
    await server.close();
    if (readyFile) rmSync(readyFile, { force: true });
  }
  await saver?.saveNow();
  if (!json) printLine(state ? `Stopped. The state is saved in ${state}.` : "Stopped.");
  // A delivery in flight must not keep the process alive. The state file has it.
  process.exit(EXIT.ok);
}

const warn = (message: string) => printError(`malipo: ${message}`);

/** Restores the state file, if there is one. Says whether it did. */
function restore(sandbox: Sandbox, { state, clock, seed }: Settings): boolean {
  if (!state) return false;
  const { restored, movedTo } = restoreState(sandbox, state, clock);
  if (movedTo) warn(`${state} is damaged. It was moved to ${movedTo}. The sandbox starts empty.`);
  if (restored && seed !== undefined) {
    warn(`--seed has no effect: the keys and references of ${state} are used.`);
  }
  return restored;
}

const describeReady = (
  sandbox: Sandbox,
  { url, baseUrl }: ServedSandbox,
  { clock, auto, seed, webhook, state, profile }: Settings,
  restored: boolean,
): Ready => ({
  url,
  base_url: baseUrl,
  page: `${url}/`,
  keys: sandbox.keys,
  webhook_secret: sandbox.webhookSecret,
  clock,
  auto,
  webhook: webhook ?? null,
  state: state ?? null,
  profile: profile ?? null,
  restored,
  is_new: !restored && seed === undefined,
  pid: process.pid,
});

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
