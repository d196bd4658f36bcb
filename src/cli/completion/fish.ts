import type { Command } from "../command.ts";
import { completedCalls, firstWords, type Values } from "./model.ts";

const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;

/** The flags of `complete` for what can stand in a place. */
function valueFlags(values: Values): string {
  if (values === "files") return "--force-files";
  return values === "anything" || values.length === 0
    ? "--no-files"
    : `--no-files --arguments ${quoted(values.join(" "))}`;
}

const line = (words: string, rest: string) =>
  `complete --command malipo --condition ${quoted(`__malipo_is ${words}`.trim())} ${rest}`;

const wordLine = (words: string, { word, summary }: { word: string; summary: string }) =>
  line(words, `--no-files --arguments ${quoted(word)} --description ${quoted(summary)}`);

export function fishScript(commands: readonly Command[]): string {
  const calls = completedCalls(commands);
  const lines = calls.flatMap(({ words, subcommands, flags, values }) => [
    ...subcommands.map((one) => wordLine(words, one)),
    line(words, valueFlags(values)),
    ...flags.map(({ word, summary, values: ofFlag }) =>
      line(
        words,
        `--long-option ${word.slice(2)} ${ofFlag === undefined ? "" : `--require-parameter ${valueFlags(ofFlag)} `}--description ${quoted(summary)}`,
      ),
    ),
  ]);
  return `# Completion of malipo for fish. Save it: malipo completion fish > ~/.config/fish/completions/malipo.fish

set --global __malipo_calls ${calls.map(({ words }) => quoted(words)).join(" ")}

function __malipo_is
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    set --local call "$words[2]"
    if set --query words[3]; and contains -- "$words[2] $words[3]" $__malipo_calls
        set call "$words[2] $words[3]"
    end
    test "$call" = "$argv"
end

${[...firstWords(commands).map((one) => wordLine("", one)), ...lines].join("\n")}`;
}
