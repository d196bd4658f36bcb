import { existsSync } from "node:fs";
import { Gateway } from "../client/gateway.ts";
import type { GatewayOptions } from "../client/options.ts";
import { type Settings, settingsFrom } from "../client/settings.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { Input } from "./command.ts";
import type { GatewayFlags } from "./flags/common.ts";
import { readEnvFile } from "./input/env-file.ts";
import { pathOf } from "./input/files.ts";
import { readSecretFile } from "./input/flag-values.ts";
import type { Io } from "./io.ts";
import { chooseSandbox, runningSandboxes } from "./sandbox/find-sandbox.ts";

/** The key and the base URL of the gateway, if they were given. */
export interface GivenGateway {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly testNetwork?: boolean;
}

/** What flags and the environment say. The key comes from the environment or a file, never from a flag. */
export function givenGateway(input: Input<GatewayFlags>): GivenGateway {
  readEnvFile(input);
  const { flags, io } = input;
  // An empty variable is not set.
  const { MALIPO_API_KEY, MALIPO_BASE_URL, MALIPO_TEST_NETWORK } = io.env;
  const apiKey = readSecretFile(input, "key-file") ?? (MALIPO_API_KEY || undefined);
  const baseUrl = flags["base-url"] ?? (MALIPO_BASE_URL || undefined);
  return {
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(MALIPO_TEST_NETWORK === "1" && { testNetwork: true }),
  };
}

export const KEY_MISSING = "The API key is missing. Set MALIPO_API_KEY, or give --key-file.";
export const BASE_URL_MISSING =
  "The base URL is missing. Set MALIPO_BASE_URL, or give --base-url with the service's path prefix.";

/** What is missing to call a gateway; `undefined` if nothing is. */
function missingSettings({ apiKey, baseUrl }: GivenGateway): string | undefined {
  if (apiKey) return baseUrl ? undefined : BASE_URL_MISSING;
  if (baseUrl) return KEY_MISSING;
  return "The API key and the base URL are missing. Set MALIPO_API_KEY and MALIPO_BASE_URL, or give --key-file and --base-url.";
}

/**
 * How to use a sandbox if the settings are missing. It is never used without being asked: a command
 * that is meant for the service must not seem to succeed. It is not named if an address of
 * another service, or a key, is set.
 */
export async function sandboxHint(
  io: Io,
  { apiKey, baseUrl }: GivenGateway,
): Promise<string | undefined> {
  if (apiKey) return undefined;
  const running = await runningSandboxes(io);
  const found = chooseSandbox(io, running);
  const url =
    baseUrl === undefined
      ? (found ?? running[0]?.url)
      : running.find((one) => baseUrl.startsWith(`${one.url}/`))?.url;
  if (url !== undefined) {
    const flag = url === found ? "" : ` --url ${url}`;
    return `A sandbox is running at ${url}. To use it in this shell: eval "$(npx malipo env${flag})"`;
  }
  return baseUrl === undefined ? "To try it without an account: npx malipo sandbox" : undefined;
}

/** The message of an error in the words of the command line. */
export const settingsMessage = ({ message }: Error): string =>
  message.replace("`baseUrl`", "The base URL (--base-url or MALIPO_BASE_URL)");

/**
 * The checked settings of the gateway.
 *
 * @throws {ConfigurationError} for a setting that is missing or wrong.
 */
export async function gatewaySettings(input: Input<GatewayFlags>): Promise<Settings> {
  const given = givenGateway(input);
  const missing = missingSettings(given);
  if (missing !== undefined) {
    const file =
      existsSync(pathOf(input.io, ".env")) &&
      "There is a .env in this folder. To use it: --env-file .env";
    const lines = [missing, file, await sandboxHint(input.io, given)].filter(Boolean);
    throw new ConfigurationError(lines.join("\n"));
  }
  try {
    return settingsFrom(given);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(settingsMessage(error), { cause: error });
  }
}

/** @throws {ConfigurationError} as {@link gatewaySettings} does. */
export async function createGateway(
  input: Input<GatewayFlags>,
  own: GatewayOptions = {},
): Promise<Gateway> {
  await gatewaySettings(input);
  return new Gateway({ ...givenGateway(input), ...own });
}
