import { parseDuration } from "../../../internal/duration.ts";
import type { CommandResult } from "../../../sandbox/control/commands.ts";
import { usageError } from "../../cli-error.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { DURATION_RULE } from "../../input/flag-values.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../../sandbox/running-sandbox.ts";
import { printResult } from "../../terminal/output.ts";

/** The sandbox waits for every delivery that becomes due on the way. */
const ADVANCE_TIMEOUT_MS = 600_000;

export async function run({ subcommand, args: [by = ""], values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  const time =
    subcommand === "now"
      ? await querySandbox<CommandResult<"clock">>(origin, "/clock")
      : await runCommand(origin, "clock", { by: checkDuration(by) }, ADVANCE_TIMEOUT_MS);
  printResult(json, time, () => `${time.now} (${time.clock})`);
  return EXIT.ok;
}

function checkDuration(by: string): string {
  if (by.startsWith("-")) {
    throw usageError(`The clock cannot go back; got "${by}". To begin again, start a new sandbox.`);
  }
  if (parseDuration(by) === undefined) throw usageError(`<by> ${DURATION_RULE}; got "${by}".`);
  return by;
}
