import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { querySandbox } from "../sandbox/running-sandbox.ts";
import { openInBrowser } from "../terminal/browser.ts";
import { printResult } from "../terminal/output.ts";

export async function run({ values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  // An error if no sandbox runs there, before a browser shows an empty page.
  await querySandbox(origin, "/clock");
  const page = `${origin}/`;
  openInBrowser(page);
  printResult(json, { page }, () => `The page of the sandbox: ${page}`);
  return EXIT.ok;
}
