import type { Input } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../completion.ts";
import { EXIT } from "../exit-codes.ts";
import { printResult } from "../terminal/output.ts";

export async function run({ args: [shell = ""], json }: Input): Promise<number> {
  // The parser has checked the shell.
  const script = COMPLETION_SCRIPTS[shell] ?? "";
  printResult(json, { shell, script }, () => script);
  return EXIT.ok;
}
