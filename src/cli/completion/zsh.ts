import type { Command } from "../command.ts";
import { sharedFunctions } from "./sh.ts";

export const zshScript = (commands: readonly Command[]): string => `#compdef malipo
# Completion of malipo for zsh. For this shell: eval "$(malipo completion zsh)"
# For every shell: put that line into ~/.zshrc, after compinit.

${sharedFunctions(commands)}

_malipo() {
  local current="\${words[CURRENT]}" line word
  local -a before found shown
  before=("\${(@)words[2,CURRENT-1]}")
  if [[ "$current" == --*=* ]]; then
    before+=("\${current%%=*}")
    compset -P '*='
  fi
  for line in "\${(@f)$(_malipo_candidates "$current" "\${before[@]}")}"; do
    word="\${line%%$'\\t'*}"
    if [[ "$word" == '*files*' ]]; then
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
  compinit -u
fi
compdef _malipo malipo`;
