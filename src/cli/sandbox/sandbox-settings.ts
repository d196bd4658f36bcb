import type { Sandbox, ServedSandbox } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { readUrl, readWholeNumber } from "../input/flag-values.ts";
import { MAX_PORT } from "../port-error.ts";

export type Settings = ReturnType<typeof readSettings>;

export function readSettings({ argv, values, repeated }: Input) {
  const { host = "" } = values;
  return {
    serve: {
      port: readWholeNumber(values, "port", 0, MAX_PORT),
      host,
      cors: (repeated.cors ?? []).map(checkOrigin),
      allowedHosts: repeated["allow-host"] ?? [],
      command: commandLine(argv),
    },
    // The parser has checked both against their choices.
    clock: values.clock as "virtual" | "real",
    auto: values.auto as "approve" | "none" | "magic",
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

/** The command, as a user types it again. */
const commandLine = (args: readonly string[]): string =>
  [
    "npx malipo",
    ...args.map((arg) => (PLAIN.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)),
  ].join(" ");

export type Ready = ReturnType<typeof describeReady>;

/** A sandbox that is ready: what the banner, `--json` and the ready file tell. */
export const describeReady = (
  sandbox: Sandbox,
  { url, baseUrl }: ServedSandbox,
  { clock, auto, seed, webhook, state, profile }: Settings,
  restored: boolean,
) => ({
  url,
  base_url: baseUrl,
  page: `${url}/`,
  keys: sandbox.keys,
  webhook_secret: sandbox.webhookSecret,
  clock,
  auto,
  webhook: webhook ?? null,
  state: state ?? null,
  /** The file of the profile that it responds by. */
  profile: profile ?? null,
  restored,
  /** Keys, secret and references are new: no earlier run had them. */
  is_new: !restored && seed === undefined,
  pid: process.pid,
});
