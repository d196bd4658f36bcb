import { createInterface } from "node:readline";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { printError, write } from "./output.ts";

/**
 * Shows what will happen, and asks for a yes, unless `--yes` was given.
 *
 * @param what - Such as `3 dead letters would be requeued`.
 * @param details - The table of what will change.
 * @throws {CliError} `usage` if the user says no, or cannot be asked.
 */
export async function confirm(
  what: string,
  details: string,
  input: Input<{ readonly yes: boolean }>,
): Promise<void> {
  const { flags, json, io } = input;
  if (!json) printError(io, `${what}:\n${details}`);
  if (flags.yes) return;
  if (json || !io.stdin.isTTY) {
    throw usageError(`${what}. Nothing was changed. To do it, add --yes.`);
  }
  write(io.stderr, "To do it, type yes: ");
  for await (const answer of createInterface({ input: io.stdin })) {
    if (answer.trim() === "yes") return;
    break;
  }
  throw usageError("Nothing was changed.");
}
