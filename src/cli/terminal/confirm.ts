import { createInterface } from "node:readline/promises";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { printError } from "./output.ts";

/**
 * Shows what will happen, and asks for a yes, unless `--yes` was given.
 *
 * @param what - Such as `3 dead letters would be requeued`.
 * @param details - The table of what will change.
 * @throws {CliError} `usage` if the user says no, or cannot be asked.
 */
export async function confirm(what: string, details: string, input: Input): Promise<void> {
  const { switches, json } = input;
  if (!json) printError(`${what}:\n${details}`);
  if (switches.has("yes")) return;
  if (json || !process.stdin.isTTY) {
    throw usageError(`${what}. Nothing was changed. To do it, add --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("To do it, type yes: ");
  terminal.close();
  if (answer.trim() !== "yes") throw usageError("Nothing was changed.");
}
