import { usageError } from "../cli-error.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import type { Command, Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { printResult } from "../terminal/output.ts";
import { suggest } from "../terminal/suggest.ts";

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function run(
  { args: [shell = ""], json }: Input,
  commands: readonly Command[],
): Promise<number> {
  const make = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (make === undefined) {
    throw usageError(
      `There is no completion for "${shell}". ${suggest(shell, Object.keys(SCRIPTS))}`,
    );
  }
  const script = make(commands);
  printResult(json, { shell, script }, () => script);
  return EXIT.ok;
}
