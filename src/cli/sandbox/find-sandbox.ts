import { CliError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl } from "../input/flag-values.ts";
import { registeredUrls } from "./registry.ts";
import { isSandbox } from "./running-sandbox.ts";

/** Where `malipo sandbox` listens without `--port`. */
const DEFAULT_URL = "http://127.0.0.1:4010";

/** The sandboxes of this user that run and respond. */
export async function runningSandboxes(): Promise<string[]> {
  const urls = registeredUrls();
  const responds = await Promise.all(urls.map(isSandbox));
  return urls.filter((_, index) => responds[index]);
}

/**
 * The address of the sandbox that a command acts on: that of `--url`, or of the one that runs.
 *
 * @throws {CliError} `several_sandboxes` where more than one runs.
 */
export async function findSandbox(values: FlagValues): Promise<string> {
  if (values.url !== undefined) return readUrl(values, "url").origin;
  const [first = DEFAULT_URL, ...others] = await runningSandboxes();
  if (others.length === 0) return first;
  const urls = [first, ...others];
  throw new CliError(
    EXIT.usage,
    "several_sandboxes",
    `${urls.length} sandboxes are running. Give the one that you mean:\n${urls.map((url) => `--url ${url}`).join("\n")}`,
  );
}
