import type { Command } from "../command.ts";
import { sharedFunctions } from "./sh.ts";

/** Works in bash 3.2 too, which macOS has. */
export const bashScript = (
  commands: readonly Command[],
): string => `# Completion of malipo for bash. For this shell: eval "$(malipo completion bash)"
# For every shell: put that line into ~/.bashrc.

${sharedFunctions(commands)}

_malipo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word rest IFS=$'\\n'
  # Where a value follows =, bash has it as a word of its own.
  if [ "$current" = "=" ]; then current=""; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    if [ "$word" = "*files*" ]; then
      COMPREPLY=($(compgen -f -- "$current"))
      compopt -o filenames 2> /dev/null
    elif [ "\${word#"$current"}" != "$word" ] || [ -z "$current" ]; then
      COMPREPLY+=("$word")
    fi
  done < <(_malipo_candidates "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
}

complete -F _malipo malipo`;
