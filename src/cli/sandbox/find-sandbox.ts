import { CliError, usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { SandboxUrl } from "../flags/common.ts";
import { readUrl } from "../input/flag-values.ts";
import type { Io } from "../io.ts";
import { printError } from "../terminal/output.ts";
import { openRunFolder, type RegisteredSandbox, registeredSandboxes } from "./registry.ts";
import { isSandbox } from "./running-sandbox.ts";

/** The address of `malipo sandbox` without `--port`. */
const DEFAULT_URL = "http://127.0.0.1:4010";

/** The sandboxes of this user that run and respond. */
export async function runningSandboxes(io: Io): Promise<RegisteredSandbox[]> {
  const sandboxes = registeredSandboxes(io);
  const responds = await Promise.all(sandboxes.map(({ url }) => isSandbox(url)));
  return sandboxes.filter((_, index) => responds[index]);
}

/**
 * The one that a command in this folder means: the one that was started here, or the only one, or the
 * one on the default port. `undefined` if that does not decide.
 */
export function chooseSandbox(
  { cwd }: Pick<Io, "cwd">,
  running: readonly RegisteredSandbox[],
): string | undefined {
  const here = running.filter(({ folder }) => folder === cwd);
  const urls = (here.length > 0 ? here : running).map(({ url }) => url);
  return urls.length > 1 ? urls.find((url) => url === DEFAULT_URL) : urls[0];
}

/**
 * The address of the sandbox that a command acts on: that of `--url`, or the one that
 * {@link chooseSandbox} finds.
 *
 * @throws {CliError} `several_sandboxes` if several run and it is not clear which one is meant,
 *   `usage` if another user could decide which one is found.
 */
export async function findSandbox({ flags, io }: Input<SandboxUrl>): Promise<string> {
  if (flags.url !== undefined) return readUrl(flags, "url").origin;
  const running = await runningSandboxes(io);
  if (running.length === 0) return defaultUrl(io);
  const url = chooseSandbox(io, running);
  if (url !== undefined) return url;
  const list = running.map((one) => `--url ${one.url}  (started in ${one.folder})`);
  throw new CliError(
    "several_sandboxes",
    `${running.length} sandboxes are running. Give the one that you mean:\n${list.join("\n")}`,
  );
}

/** Another user may listen on the default port, so it is named, and it is never the silent answer. */
function defaultUrl(io: Io): string {
  if (openRunFolder(io) === undefined) {
    throw usageError(
      `The folder of running sandboxes does not belong only to this user, so no sandbox can be found in it. Give its address: --url ${DEFAULT_URL}.`,
    );
  }
  printError(io, `malipo: no sandbox of this user is running. Trying ${DEFAULT_URL}.`);
  return DEFAULT_URL;
}
