import { readFileSync } from "node:fs";
import { COMMANDS, ENVIRONMENT } from "./definitions/index.ts";
import { EXIT } from "./exit-codes.ts";
import { shownOf } from "./failure.ts";
import { commandHelp, overview } from "./help.ts";
import { parse } from "./parse.ts";
import { paint, say, warn } from "./terminal/output.ts";

const versionOf = (): string =>
  JSON.parse(readFileSync(new URL(import.meta.resolve("malipo/package.json")), "utf8")).version;

/** Runs the command line. Gives what the process is to end with. */
export async function run(argv: readonly string[]): Promise<number> {
  let creates = false;
  try {
    const parsed = parse(COMMANDS, argv);
    switch (parsed.kind) {
      case "version":
        say(versionOf());
        return EXIT.ok;
      case "overview":
        say(overview(COMMANDS, ENVIRONMENT));
        return EXIT.ok;
      case "help":
        say(commandHelp(parsed.command, parsed.form));
        return EXIT.ok;
      case "call": {
        creates = parsed.form.creates === true;
        const { run: call } = await parsed.command.load();
        return await call(parsed.input);
      }
    }
  } catch (error) {
    const { exit, message, stack, ...fields } = shownOf(error, creates);
    if (argv.includes("--json")) {
      say(JSON.stringify({ error: { ...fields, message, exit_code: exit } }, null, 2));
    } else {
      warn(`${paint("red", "malipo:")} ${stack ?? message}`);
    }
    return exit;
  }
}
