import { Gateway } from "../client/gateway.ts";
import type { GatewayOptions } from "../client/options.ts";
import { type Settings, settingsFrom } from "../client/settings.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { environmentVariable } from "../internal/environment.ts";
import { CliError } from "./cli-error.ts";
import type { Input } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { readSecret } from "./input/files.ts";
import { chooseSandbox, runningSandboxes } from "./sandbox/find-sandbox.ts";

/** The options of the gateway. The key comes from the environment or a file, never from a flag. */
export function gatewayOptions({ values }: Input): GatewayOptions {
  const keyFile = values["key-file"];
  const baseUrl = values["base-url"];
  return {
    ...(keyFile !== undefined && { apiKey: readSecret(keyFile) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

export const hasKey = ({ apiKey }: GatewayOptions): boolean =>
  Boolean(apiKey ?? environmentVariable("MALIPO_API_KEY"));
export const hasBaseUrl = (options: GatewayOptions): boolean => Boolean(baseUrlOf(options));
const baseUrlOf = ({ baseUrl }: GatewayOptions) =>
  baseUrl?.toString() ?? environmentVariable("MALIPO_BASE_URL");

export const KEY_MISSING = "The API key is missing. Set MALIPO_API_KEY, or give --key-file.";
export const BASE_URL_MISSING =
  "The base URL is missing. Set MALIPO_BASE_URL, or give --base-url with the service's path prefix.";

/** What is missing to call a gateway; `undefined` if nothing is. */
function missingSettings(options: GatewayOptions): string | undefined {
  if (hasKey(options)) return baseUrlOf(options) ? undefined : BASE_URL_MISSING;
  if (baseUrlOf(options)) return KEY_MISSING;
  return "The API key and the base URL are missing. Set MALIPO_API_KEY and MALIPO_BASE_URL, or give --key-file and --base-url.";
}

/**
 * How to use a sandbox if the settings are missing. It is never used without being asked: a command
 * that is meant for the service must not seem to succeed. It is not named if an address of
 * another service, or a key, is set.
 */
export async function sandboxHint(options: GatewayOptions): Promise<string | undefined> {
  const baseUrl = baseUrlOf(options);
  if (hasKey(options)) return undefined;
  const running = await runningSandboxes();
  const found = chooseSandbox(running);
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
 * @throws {CliError} `configuration`, for a setting that is missing or wrong.
 */
export async function gatewaySettings(input: Input): Promise<Settings> {
  const options = gatewayOptions(input);
  const missing = missingSettings(options);
  if (missing !== undefined) {
    const hint = await sandboxHint(options);
    throw configurationError(hint === undefined ? missing : `${missing}\n${hint}`);
  }
  try {
    return settingsFrom(options);
  } catch (error) {
    if (error instanceof ConfigurationError) throw configurationError(settingsMessage(error));
    throw error;
  }
}

const configurationError = (message: string) => new CliError(EXIT.usage, "configuration", message);

/** @throws {CliError} as {@link gatewaySettings} does. */
export async function createGateway(input: Input, own: GatewayOptions = {}): Promise<Gateway> {
  await gatewaySettings(input);
  return new Gateway({ ...gatewayOptions(input), ...own });
}
