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

export const run = (input: Input): Promise<Output | number> =>
  reached(async () => {
    const { inbox, close } = await openInbox(input.values);
    try {
      if (input.subcommand === "stats") return await showStats(inbox);
      return (await SUBCOMMANDS[input.subcommand]?.(selected(inbox, input), input)) ?? EXIT.usage;
    } finally {
      await close();
    }
  });

async function showStats(inbox: ListedInbox): Promise<Output> {
  // `unhandled` and `lagMs` are those of a process that handles events: this one does not.
  const { unhandled: _, lagMs: __, ...stats } = await inbox.stats();
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const value = {
    ...stats,
    oldestWaiting: time(stats.oldestWaiting),
    oldestRetrying: time(stats.oldestRetrying),
  };
  const text = () =>
    formatFields([
      ["waiting", value.waiting],
      ["  since", value.oldestWaiting ?? undefined],
      ["retrying", value.retrying],
      ["  since", value.oldestRetrying ?? undefined],
      ["running", value.running],
      ["dead letters", value.dead],
      ["conflicts", value.conflicts],
    ]);
  return { value, text };
}
