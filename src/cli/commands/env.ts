import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import { CliError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { writeEnvFile } from "../sandbox/private-files.ts";
import { querySandbox } from "../sandbox/running-sandbox.ts";
import { printResult } from "../terminal/output.ts";

interface Status {
  readonly keys: Readonly<Record<string, string>>;
  readonly webhook_secret: string;
}

export async function run({ values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  const { keys, webhook_secret } = await querySandbox<Status>(origin, "/status");
  const variables = {
    MALIPO_BASE_URL: origin + ASSUMPTIONS.address.value.prefix,
    MALIPO_API_KEY: keys[values.kind ?? "secret"] ?? "",
    MALIPO_WEBHOOK_SECRET: webhook_secret,
  };
  checkPlain(origin, "the key", variables.MALIPO_API_KEY);
  checkPlain(origin, "the webhook secret", webhook_secret);
  const { write: path } = values;
  if (path !== undefined) await writeEnvFile(path, variables);
  printResult(json, variables, () =>
    path === undefined
      ? Object.entries(variables)
          .map(([name, value]) => `export ${name}=${value}`)
          .join("\n")
      : `The settings of the sandbox at ${origin} are in ${path}.`,
  );
  return EXIT.ok;
}

/** A shell evaluates what this command prints: it must find nothing to do in a value. */
function checkPlain(origin: string, what: string, value: unknown): void {
  if (typeof value === "string" && /^[\w.-]+$/.test(value)) return;
  throw new CliError(
    EXIT.failed,
    "rejected",
    `${origin} gave ${what} with characters that a shell would act on. Nothing was printed. Check that it is your sandbox.`,
  );
}
