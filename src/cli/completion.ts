import { ENDPOINTS } from "../contract/endpoints.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import type { Flag } from "../internal/flags.ts";
import { COMMON_FLAGS, type Command, type Input, type Output, type Subcommand } from "./command.ts";

/** What a shell prints in the place of this: the files in the current folder. */
const FILES = "*files*";

/** What the words in a definition stand for: `--event <event>`, `sign [file]`. */
const BY_PLACEHOLDER: Readonly<Record<string, readonly string[]>> = {
  event: EVENT_KINDS,
  endpoint: Object.keys(ENDPOINTS),
  path: [FILES],
  file: [FILES],
  a: [FILES],
  b: [FILES],
};

const flagValues = (flag: Flag | undefined) =>
  flag?.choices ?? BY_PLACEHOLDER[flag?.value ?? ""] ?? [];

function argumentValues({ args: [first] }: Subcommand): readonly string[] {
  return first === undefined ? [] : (first.values ?? BY_PLACEHOLDER[first.name] ?? []);
}

/** A word and its meaning, with a tab in between. */
const meaning = ({ name = "", summary }: { name?: string; summary: string }, dashes = "") =>
  `${dashes}${name}\t${summary}`;

const FIRST_WORDS = [
  { name: "help", summary: "print the help of a command" },
  { name: "--help", summary: "list the commands" },
  { name: "--version", summary: "print the version" },
];

/** What the flags and arguments of a call can be. */
function ofCall(call: Subcommand, before: readonly string[], current: string): readonly string[] {
  const flags = [...call.flags, ...COMMON_FLAGS];
  const find = (word = "") => flags.find(({ name, value }) => value && word === `--${name}`);
  const [given, word] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (given !== undefined) {
    return flagValues(find(word)).map((value) => (value === FILES ? FILES : given + value));
  }
  const flag = find(before.at(-1));
  if (flag !== undefined) return flagValues(flag);
  return current.startsWith("-") ? flags.map((one) => meaning(one, "--")) : argumentValues(call);
}

/**
 * What can stand at the end of a line, a word and its meaning a line. A shell asks for it at each Tab.
 *
 * @param words - The words after `malipo`. The last one is the one that is being written.
 */
export function candidates(commands: readonly Command[], words: readonly string[]): string[] {
  const current = words.at(-1) ?? "";
  // bash passes the = of `--clock=virtual` as a separate word.
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const start = current === "=" ? "" : current;
  const command = commands.find(({ name }) => name === before[0]);
  if (command === undefined) {
    const found = before.length > 0 ? [] : [...commands, ...FIRST_WORDS].map((one) => meaning(one));
    return found.filter((one) => one.startsWith(start));
  }
  const named = command.subcommands.filter(({ name }) => name !== undefined);
  const unnamed = command.subcommands.find(({ name }) => name === undefined);
  const call = named.find(({ name }) => name === before[1]) ?? unnamed;
  const offered = [
    ...(before.length === 1 ? named.map((one) => meaning(one)) : []),
    ...(call === undefined ? [] : ofCall(call, before, start)),
  ];
  return offered.filter((one) => one === FILES || one.startsWith(start));
}

/** The script of each shell. It asks `malipo` itself at each Tab, so that it never grows old. */
const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  // Works in bash 3.2 too, which macOS has.
  bash: `# Completion of malipo for bash. For this shell: eval "$(malipo completion bash)"
# For every shell: put that line into ~/.bashrc.

_malipo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line IFS=$'\\n'
  COMPREPLY=()
  while read -r line; do
    if [ "$line" = "${FILES}" ]; then
      COMPREPLY=($(compgen -f -- "\${current#=}"))
      compopt -o filenames 2> /dev/null
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(malipo __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}

complete -F _malipo malipo`,
  zsh: `#compdef malipo
# Completion of malipo for zsh. For this shell: eval "$(malipo completion zsh)"
# For every shell: put that line into ~/.zshrc, after compinit.

_malipo() {
  local line word
  local -a found shown
  for line in "\${(@f)$(malipo __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}"; do
    word="\${line%%$'\\t'*}"
    if [[ "$word" == '${FILES}' ]]; then
      if [[ "$PREFIX" == --*=* ]]; then compset -P '*='; fi
      _files
    elif [[ -n "$word" ]]; then
      found+=("$word")
      if [[ "$line" == *$'\\t'* ]]; then shown+=("$word -- \${line#*$'\\t'}"); else shown+=("$word"); fi
    fi
  done
  if (( \${#found} )); then compadd -l -d shown -a found; fi
}

if (( ! $+functions[compdef] )); then
  autoload -Uz compinit
  compinit -i
fi
compdef _malipo malipo`,
  fish: `# Completion of malipo for fish. Save it: malipo completion fish > ~/.config/fish/completions/malipo.fish

function __malipo_candidates
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    set --local found (malipo __complete $words[2..-1] (commandline --current-token) 2> /dev/null)
    if test "$found" = "${FILES}"
        __fish_complete_path (commandline --current-token)
    else
        string join \\n -- $found
    end
end

complete --command malipo --no-files --arguments "(__malipo_candidates)"`,
};

/** `malipo completion` */
export async function run({ args: [shell = ""] }: Input): Promise<Output> {
  // The parser has checked the shell.
  const script = COMPLETION_SCRIPTS[shell] ?? "";
  return { value: { shell, script }, text: () => script };
}
