import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printResult } from "../terminal/output.ts";
import { Progress } from "../terminal/progress.ts";
import { idsOfAll, readFilter, type Selected } from "./events.ts";
import { reached } from "./open.ts";

const DONE = { requeue: "requeued", drop: "dropped" } as const;

/** So many are done together: all of them or none. */
const MAX_AT_ONCE = 500;

/** `malipo inbox requeue` and `malipo inbox drop` */
export async function changeEvents(
  how: keyof typeof DONE,
  selection: Selected,
  input: Input,
): Promise<number> {
  const ids = await idsToChange(selection, input);
  let changed = 0;
  const progress = new Progress({
    line: () => `${changed} of ${ids.length} ${DONE[how]}`,
    share: () => changed / ids.length,
  });
  try {
    while (changed < ids.length) {
      const some = ids.slice(changed, changed + MAX_AT_ONCE);
      await reached(() => selection.list[how](some));
      changed += some.length;
      progress.update();
    }
  } finally {
    progress.end();
  }
  printResult(input.json, { [DONE[how]]: ids }, () => {
    const { what } = selection;
    if (ids.length === 0) return `No ${what} matches.`;
    return `${ids.length} ${ids.length === 1 ? `${what} is` : `${what}s are`} ${DONE[how]}.`;
  });
  return EXIT.ok;
}

async function idsToChange(selection: Selected, input: Input): Promise<string[]> {
  const { args, values, switches } = input;
  if (!switches.has("all")) {
    const filter = ["kind", "since", "until"].find((name) => values[name] !== undefined);
    if (filter !== undefined) throw usageError(`--${filter} goes with --all.`);
    if (args.length === 0) throw usageError("Name the ids, or give --all for all that match.");
    return [...new Set(args)];
  }
  if (args.length > 0) throw usageError("Give either ids or --all.");
  return idsOfAll(selection, readFilter(values));
}
