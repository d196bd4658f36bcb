import { isNetworkKey } from "../../contract/keys.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isLoopback } from "../../internal/urls.ts";
import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import { CliError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { ENV } from "../flags/sandbox.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { writeEnvFile } from "../sandbox/private-files.ts";
import { registeredSandboxes } from "../sandbox/registry.ts";
import { querySandbox } from "../sandbox/running-sandbox.ts";

interface Status {
  readonly keys: Readonly<Record<string, string>>;
  readonly webhook_secret: string;
}

export async function run(input: Input<FlagsOf<typeof ENV>>): Promise<Output> {
  const { flags, io } = input;
  const origin = await findSandbox(input);
  const variables = await sandboxVariables(origin, flags.kind);
  const { write: path } = flags;
  if (path !== undefined) await writeEnvFile(io, path, variables);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`);
  const elsewhere = registeredSandboxes(io).find(
    ({ url, folder }) => url === origin && folder !== io.cwd,
  );
  const place = elsewhere === undefined ? "" : ` (started in ${elsewhere.folder})`;
  const written = `The settings of the sandbox at ${origin}${place} are in ${path}.`;
  return { value: variables, text: () => (path === undefined ? lines.join("\n") : written) };
}

/** What a shop needs to use a sandbox. @throws {CliError} `rejected` for a value with other characters than a key has */
export async function sandboxVariables(origin: string, kind = "secret") {
  const { keys, webhook_secret } = await querySandbox<Status>(origin, "/status");
  const { protocol, hostname } = new URL(origin);
  const isNetwork = protocol === "http:" && !isLoopback(hostname);
  const variables = {
    MALIPO_BASE_URL: origin + ASSUMPTIONS.address.value.prefix,
    MALIPO_API_KEY: (isNetwork ? networkKey(origin, keys.sandbox) : keys[kind]) ?? "",
    MALIPO_WEBHOOK_SECRET: webhook_secret,
    ...(isNetwork && { MALIPO_TEST_NETWORK: "1" }),
  };
  checkPlain(origin, "the key", variables.MALIPO_API_KEY);
  checkPlain(origin, "the webhook secret", webhook_secret);
  return variables;
}

/** A client sends no other key unencrypted to another machine. */
function networkKey(origin: string, key = ""): string {
  if (isNetworkKey(key)) return key;
  throw new CliError(
    "rejected",
    `The sandbox at ${origin} is not in a test network: no client would send a key there unencrypted. Start it with the name in that address: malipo sandbox --network ${new URL(origin).hostname}`,
  );
}

/** A shell evaluates what this command prints: it must find nothing to do in a value. */
function checkPlain(origin: string, what: string, value: unknown): void {
  if (typeof value === "string" && /^[\w.-]+$/.test(value)) return;
  throw new CliError(
    "rejected",
    `${origin} gave ${what} with characters that a shell would act on. Nothing was printed. Check that it is your sandbox.`,
  );
}
