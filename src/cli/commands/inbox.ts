import type { InboxStats } from "../../webhooks/inbox/types.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { changeEvents } from "../inbox/change.ts";
import { type Selected, selected } from "../inbox/events.ts";
import { listEvents, showEvent } from "../inbox/list.ts";
import { type ListedInbox, openInbox, reached } from "../inbox/open.ts";
import { replayEvents } from "../inbox/replay.ts";
import { formatFields } from "../terminal/output.ts";

const SUBCOMMANDS: Readonly<
  Record<string, (selection: Selected, input: Input) => Promise<Output>>
> = {
  list: listEvents,
  show: showEvent,
  requeue: (selection, input) => changeEvents("requeue", selection, input),
  drop: (selection, input) => changeEvents("drop", selection, input),
  replay: replayEvents,
};

export async function run(input: Input): Promise<Output | number> {
  const { inbox, close } = await openInbox(input.values);
  try {
    if (input.subcommand === "stats") return await showStats(inbox);
    return (await SUBCOMMANDS[input.subcommand]?.(selected(inbox, input), input)) ?? EXIT.usage;
  } finally {
    await close();
  }
}

async function showStats(inbox: ListedInbox): Promise<Output> {
  // `unhandled` and `lagMs` are those of a process that handles events: this one does not.
  const {
    unhandled: _,
    lagMs: __,
    oldestRetrying,
    oldestWaiting,
    ...counts
  } = await reached(() => inbox.stats());
  const time = (at: InboxStats["oldestWaiting"]) =>
    at === null ? null : new Date(at).toISOString();
  const value = {
    ...counts,
    oldestWaiting: time(oldestWaiting),
    oldestRetrying: time(oldestRetrying),
  };
  const text = () =>
    formatFields([
      ["waiting", counts.waiting],
      ["  since", value.oldestWaiting ?? undefined],
      ["retrying", counts.retrying],
      ["  since", value.oldestRetrying ?? undefined],
      ["running", counts.running],
      ["dead letters", counts.dead],
      ["conflicts", counts.conflicts],
    ]);
  return { value, text };
}
