import { openapiOf } from "../../learn/openapi.ts";
import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl } from "../input/flag-values.ts";
import { printLine } from "../terminal/output.ts";
import { readProfile } from "./read-profile.ts";

const { port, prefix } = ASSUMPTIONS.address.value;
const SANDBOX_URL = `http://127.0.0.1:${port}${prefix}`;

/** `malipo learn openapi FILE` */
export async function openapi({ args: [file = ""], values }: Input): Promise<number> {
  const given = values["base-url"] ?? process.env.MALIPO_BASE_URL;
  const url =
    given === undefined
      ? SANDBOX_URL
      : readUrl({ "base-url": given }, "base-url").href.replace(/\/{1,9}$/, "");
  printLine(JSON.stringify(openapiOf(readProfile(file), url), null, 2));
  return EXIT.ok;
}
