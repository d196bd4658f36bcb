import type { Command, Input } from "../command.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import { EXIT } from "../exit-codes.ts";
import { printResult } from "../terminal/output.ts";

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function run(
  { args: [shell = ""], json }: Input,
  commands: readonly Command[],
): Promise<number> {
  // The parser has checked the shell.
  const script = SCRIPTS[shell]?.(commands) ?? "";
  printResult(json, { shell, script }, () => script);
  return EXIT.ok;
}
