import type { Input } from "../command.ts";
import { changeEvents } from "../inbox/change.ts";
import { type Selected, selected } from "../inbox/events.ts";
import { listEvents, showEvent } from "../inbox/list.ts";
import { openInbox } from "../inbox/open.ts";
import { replayEvents } from "../inbox/replay.ts";

const SUBCOMMANDS: Readonly<
  Record<string, (selection: Selected, input: Input) => Promise<number>>
> = {
  list: listEvents,
  show: showEvent,
  requeue: (selection, input) => changeEvents("requeue", selection, input),
  drop: (selection, input) => changeEvents("drop", selection, input),
  replay: replayEvents,
};

export async function run(input: Input): Promise<number> {
  const inbox = await openInbox(input.values);
  try {
    return (await SUBCOMMANDS[input.subcommand]?.(selected(inbox, input), input)) ?? 0;
  } finally {
    await inbox.close();
  }
}
