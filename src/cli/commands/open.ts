import type { Input, Output } from "../command.ts";
import type { SandboxUrl } from "../flags/common.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { querySandbox } from "../sandbox/running-sandbox.ts";
import { openInBrowser } from "../terminal/browser.ts";

export async function run(input: Input<SandboxUrl>): Promise<Output> {
  const origin = await findSandbox(input);
  // An error if no sandbox runs there, before a browser shows an empty page.
  await querySandbox(origin, "/clock");
  const page = `${origin}/`;
  openInBrowser(page, input.io.env);
  return { value: { page }, text: () => `The page of the sandbox: ${page}` };
}
