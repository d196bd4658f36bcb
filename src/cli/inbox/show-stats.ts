import { formatFields } from "../terminal/table.ts";
import { wholeTime } from "../terminal/times.ts";
import { withInbox } from "./open-inbox.ts";

/** `malipo inbox stats` */
export const stats = withInbox(async (inbox) => {
  // `unhandled` and `lagMs` are those of a process that handles events: this one does not.
  const { unhandled: _, lagMs: __, ...counts } = await inbox.stats();
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const value = {
    ...counts,
    oldestWaiting: time(counts.oldestWaiting),
    oldestRetrying: time(counts.oldestRetrying),
  };
  const since = (at: string | null) => (at === null ? undefined : wholeTime(at));
  const text = () =>
    formatFields([
      ["waiting", value.waiting],
      ["  since", since(value.oldestWaiting)],
      ["retrying", value.retrying],
      ["  since", since(value.oldestRetrying)],
      ["running", value.running],
      ["dead letters", value.dead],
      ["conflicts", value.conflicts],
    ]);
  return { value, text };
});
