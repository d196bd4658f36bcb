import { type ErrorFields, errorFields } from "./cli-error.ts";
import { candidates } from "./completion.ts";
import { COMMAND_GROUPS, COMMANDS, ENVIRONMENT } from "./definitions/index.ts";
import { EXIT } from "./exit-codes.ts";
import { commandHelp, overview } from "./help.ts";
import type { Io } from "./io.ts";
import { type Call, type Parsed, parse } from "./parse.ts";
import { explainMisread } from "./sandbox/running-sandbox.ts";
import { paint, printError, printLine, printResult } from "./terminal/output.ts";

/**
 * Runs the command line. Resolves with the exit code of the process.
 *
 * @param io - What commands take from their process.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let call: Call | undefined;
  // The scripts of `malipo completion` ask this. A user never types it.
  if (argv[0] === "__complete") {
    for (const line of candidates(COMMANDS, argv.slice(1))) printLine(io, line);
    return EXIT.ok;
  }
  try {
    const parsed = parse(COMMANDS, argv);
    if (parsed.kind !== "call") {
      printLine(io, formatInformation(parsed, io));
      return EXIT.ok;
    }
    call = parsed;
    const output = await call.subcommand.run({ ...call.input, argv, io }, COMMANDS);
    if (typeof output === "number") return output;
    printResult(io, call.input.json, output.value, output.text);
    return output.exitCode ?? EXIT.ok;
  } catch (error) {
    const { command, subcommand } = call ?? {};
    const creating = subcommand?.creates ? command?.name : undefined;
    const reason = subcommand?.flags.some(({ name }) => name === "url")
      ? explainMisread(error)
      : error;
    return printFailure(io, errorFields(reason, creating), argv.includes("--json"));
  }
}

function formatInformation(parsed: Exclude<Parsed, Call>, { stdout }: Io): string {
  switch (parsed.kind) {
    case "overview":
      return overview(COMMAND_GROUPS, ENVIRONMENT, stdout);
    case "help":
      return commandHelp(parsed.command, parsed.subcommand, stdout);
  }
}

function printFailure(io: Io, error: ErrorFields, json: boolean): number {
  const { exitCode, message, stack, ...fields } = error;
  const more = fields.page === undefined ? "" : `\nRead more: ${fields.page} in the package malipo`;
  if (json) {
    printLine(io, JSON.stringify({ error: { ...fields, message, exit_code: exitCode } }, null, 2));
  } else {
    // What a service or an argument says may have several lines. None may look like a line of ours.
    printError(
      io,
      `${paint("red", "malipo:")} ${((stack ?? message) + more).replaceAll("\n", "\n  ")}`,
    );
  }
  return exitCode;
}
