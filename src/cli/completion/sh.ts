import type { Command } from "../command.ts";
import { completedCalls, firstWords, type Values } from "./model.ts";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** One `case` of the function that knows all words: a key, and the lines that it prints. */
function entry(key: string, lines: readonly string[]): string {
  const print = lines.length === 0 ? ":" : `printf '%s\\n' ${lines.map(quoted).join(" ")}`;
  return `    ${quoted(key)}) ${print} ;;`;
}

const withSummary = ({ word, summary }: { word: string; summary: string }) => `${word}\t${summary}`;

const valueLines = (values: Values): readonly string[] => {
  if (values === "files") return ["*files*"];
  return values === "anything" ? [] : values;
};

function entries(commands: readonly Command[]): string[] {
  const calls = completedCalls(commands).flatMap(({ words, subcommands, flags, values }) => [
    entry(`call ${words}`, []),
    entry(`next ${words}`, [...subcommands.map(withSummary), ...valueLines(values)]),
    entry(`flags ${words}`, flags.map(withSummary)),
    ...flags.flatMap((flag) =>
      flag.values === undefined
        ? []
        : [entry(`value ${words} ${flag.word}`, valueLines(flag.values))],
    ),
  ]);
  return [entry("next ", firstWords(commands).map(withSummary)), ...calls];
}

/**
 * The functions that bash and zsh share. `_malipo_candidates` takes the word that is being written and
 * the words before it, and prints what can stand there: a word and its meaning a line.
 */
export const sharedFunctions = (commands: readonly Command[]): string => `_malipo_data() {
  case "$1" in
${entries(commands).join("\n")}
    *) return 1 ;;
  esac
}

_malipo_candidates() {
  local current="$1" call="$2" flag="" word
  shift
  if [ $# -gt 0 ]; then shift; fi
  if [ $# -gt 0 ] && _malipo_data "call $call $1"; then
    call="$call $1"
    shift
  fi
  for word in "$@"; do
    if [ "$word" = "=" ]; then
      continue
    elif [ -n "$flag" ]; then
      flag=""
    elif _malipo_data "value $call $word" > /dev/null; then
      flag="$word"
    fi
  done
  if [ -n "$flag" ]; then
    _malipo_data "value $call $flag"
  elif [ "\${current#-}" != "$current" ] && [ -n "$call" ]; then
    _malipo_data "flags $call"
  else
    _malipo_data "next $call"
  fi
}`;
