import { countryWith } from "../../contract/countries.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isLoopback, isPrivateHost } from "../../internal/urls.ts";
import type { Sandbox, ServedSandbox } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { SANDBOX } from "../flags/sandbox.ts";
import { readUrl, readWholeNumber } from "../input/flag-values.ts";
import { MAX_PORT } from "../port-error.ts";

export type Settings = ReturnType<typeof readSettings>;

export function readSettings({ argv, flags }: Input<FlagsOf<typeof SANDBOX>>) {
  const { host, network, clock, auto, seed, state, profile } = flags;
  const country = countryWith(flags.country.toUpperCase())?.iso;
  if (country === undefined) {
    throw usageError(
      `--country must be the code of a country with mobile money, such as KE or UG; got "${flags.country}".`,
    );
  }
  return {
    serve: {
      port: readWholeNumber(flags, "port", 0, MAX_PORT),
      // A name of a network is of no use on an address that no other machine reaches.
      host: network !== undefined && isLoopback(host) ? everyAddress(network) : host,
      cors: flags.cors.map(checkOrigin),
      allowedHosts: [...flags["allow-host"], ...(network === undefined ? [] : [network])],
      command: commandLine(argv),
    },
    network: network === undefined ? undefined : checkNetworkName(network),
    webhook: flags.webhook && readUrl(flags, "webhook").href,
    ...{ clock, auto, seed, country, state, profile },
  };
}

const everyAddress = (name: string): string => (name.startsWith("[") ? "::" : "0.0.0.0");

function checkNetworkName(name: string): string {
  const url = `http://${name}`;
  if (URL.canParse(url) && new URL(url).host === name && isPrivateHost(name)) return name;
  throw usageError(
    `--network must be a private name or address of this machine, such as gateway, gateway.internal or 10.0.0.5, in small letters, without scheme and port; got "${name}".`,
  );
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
  { url, baseUrl, port }: ServedSandbox,
  { network, clock, auto, seed, webhook, state, profile }: Settings,
  restored: boolean,
) => ({
  url,
  base_url: baseUrl,
  /** Where other containers reach it. */
  network_url: network === undefined ? null : `http://${network}:${port}`,
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
