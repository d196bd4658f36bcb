import type { Input, Output } from "../command.ts";
import { changeEvents } from "../inbox/change.ts";
import { type Selected, selected } from "../inbox/events.ts";
import { listEvents, showEvent } from "../inbox/list.ts";
import { type ListedInbox, withInbox } from "../inbox/open.ts";
import { replayEvents } from "../inbox/replay.ts";
import { formatFields } from "../terminal/output.ts";

/** A command about the list that the flags choose. */
const onList = (work: (selection: Selected, input: Input) => Promise<Output>) =>
  withInbox((inbox, input) => work(selected(inbox, input), input));

export const list = onList(listEvents);
export const show = onList(showEvent);
export const requeue = onList((selection, input) => changeEvents("requeue", selection, input));
export const drop = onList((selection, input) => changeEvents("drop", selection, input));
export const replay = onList(replayEvents);

export const stats = withInbox(async (inbox: ListedInbox): Promise<Output> => {
  // `unhandled` and `lagMs` are those of a process that handles events: this one does not.
  const { unhandled: _, lagMs: __, ...counts } = await inbox.stats();
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const value = {
    ...counts,
    oldestWaiting: time(counts.oldestWaiting),
    oldestRetrying: time(counts.oldestRetrying),
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
});
