import { ASSUMPTIONS } from "../../../sandbox/assumptions.ts";
import type { Input } from "../../definitions/types.ts";
import { EXIT } from "../../exit-codes.ts";
import { readUrl } from "../../input/flag-values.ts";
import { querySandbox } from "../../sandbox/running-sandbox.ts";
import { printResult } from "../../terminal/output.ts";

interface Status {
  readonly keys: Readonly<Record<string, string>>;
  readonly webhook_secret: string;
}

export async function run({ values, json }: Input): Promise<number> {
  const { keys, webhook_secret } = await querySandbox<Status>(values, "/status");
  const variables = {
    MALIPO_BASE_URL: readUrl(values, "url").origin + ASSUMPTIONS.address.value.prefix,
    MALIPO_API_KEY: keys[values.kind ?? "secret"] ?? "",
    MALIPO_WEBHOOK_SECRET: webhook_secret,
  };
  const prefix = values.format === "dotenv" ? "" : "export ";
  printResult(json, variables, () =>
    Object.entries(variables)
      .map(([name, value]) => `${prefix}${name}=${value}`)
      .join("\n"),
  );
  return EXIT.ok;
}
