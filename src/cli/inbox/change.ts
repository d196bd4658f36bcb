import type { FlagsOf } from "../../internal/flags.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { CHANGE, INBOX_DROP, INBOX_REQUEUE } from "../flags/stores.ts";
import { confirm } from "../terminal/confirm.ts";
import { printError } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { formatGroups, groupsOf } from "./list.ts";
import {
  allEvents,
  findEvents,
  onList,
  readFilter,
  type Selected,
  type StoredEvent,
} from "./listed-events.ts";

const DONE = { requeue: "requeued", drop: "dropped" } as const;

/** All of them are changed together, or none. */
const MAX_AT_ONCE = 500;

/** Only `requeue` has `--never-tried`. */
type ChangeFlags = FlagsOf<typeof CHANGE> & { readonly "never-tried"?: boolean };

/** `malipo inbox requeue` */
export const requeue = onList((selection, input: Input<FlagsOf<typeof INBOX_REQUEUE>>) =>
  changeEvents("requeue", selection, input),
);

/** `malipo inbox drop` */
export const drop = onList((selection, input: Input<FlagsOf<typeof INBOX_DROP>>) =>
  changeEvents("drop", selection, input),
);

async function changeEvents(
  how: keyof typeof DONE,
  selection: Selected,
  input: Input<ChangeFlags>,
): Promise<Output> {
  const { json, flags, io } = input;
  const events = await eventsToChange(how, selection, input);
  const ids = events.map(({ id }) => id);
  const isDryRun = flags["dry-run"];
  if (events.length > 0 && (isDryRun || flags.all)) {
    const what = `${amountOf(selection, events.length)} would be ${DONE[how]}`;
    const details = formatGroups(groupsOf(events, "error"), io.stderr);
    if (!isDryRun) await confirm(what, details, input);
    else if (!json) printError(io, `${what}:\n${details}`);
  }
  if (!isDryRun) await changeAll(how, selection, ids, input);
  const text = () => {
    if (ids.length === 0) return `No ${selection.what} matches.`;
    if (isDryRun) return "Nothing was changed.";
    return `${amountOf(selection, ids.length)} ${ids.length === 1 ? "is" : "are"} ${DONE[how]}.`;
  };
  return { value: { [DONE[how]]: isDryRun ? [] : ids, ...(isDryRun && { ids }) }, text };
}

const amountOf = ({ what }: Selected, count: number) => `${count} ${what}${count === 1 ? "" : "s"}`;

async function changeAll(
  how: keyof typeof DONE,
  { list }: Selected,
  ids: readonly string[],
  { json, io }: Input,
) {
  let changed = 0;
  const progress = showProgress({
    output: io.stderr,
    isHidden: json,
    line: () => `${changed} of ${ids.length} ${DONE[how]}`,
    share: () => changed / ids.length,
  });
  try {
    while (changed < ids.length) {
      const some = ids.slice(changed, changed + MAX_AT_ONCE);
      await list[how]?.(some);
      changed += some.length;
    }
  } finally {
    progress.end();
  }
}

async function eventsToChange(
  how: keyof typeof DONE,
  selection: Selected,
  { args, flags, io }: Input<ChangeFlags>,
): Promise<readonly StoredEvent[]> {
  if (!flags.all) {
    const filter = (["kind", "since", "until"] as const).find((name) => flags[name] !== undefined);
    if (filter !== undefined) throw usageError(`--${filter} goes with --all.`);
    if (args.length === 0) throw usageError("Name the ids, or give --all for all that match.");
    return findEvents(selection, args);
  }
  if (args.length > 0) throw usageError("Give either ids or --all.");
  const all = await allEvents(selection, readFilter(flags));
  if (how === "drop" || flags["never-tried"]) return all;
  // No handler was given a replay of an old event: it may have been processed before.
  const tried = all.filter(({ attempts }) => attempts !== 0);
  const others = all.length - tried.length;
  if (others > 0) {
    printError(
      io,
      `${amountOf(selection, others)} that no handler was given, such as replays of old events, ${others === 1 ? "is" : "are"} left out. To include them, add --never-tried.`,
    );
  }
  return tried;
}
