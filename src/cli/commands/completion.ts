import type { Input, Output } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../completion.ts";

export async function run({ args: [shell = ""] }: Input): Promise<Output> {
  // The parser has checked the shell.
  const script = COMPLETION_SCRIPTS[shell] ?? "";
  return { value: { shell, script }, text: () => script };
}
