import { waitAtMost } from "../../../src/internal/timeout.ts";
import type { Room } from "../../../src/storage/room.ts";
import { alreadyStarted } from "../../../src/webhooks/inbox/errors.ts";
import type { Inbox } from "../../../src/webhooks/inbox/inbox-types.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../../../src/webhooks/inbox/pace.ts";
import { type SqlInbox, sqlInbox } from "../../../src/webhooks/inbox/sql/inbox.ts";
import { INBOX } from "../../../src/webhooks/inbox/tables.ts";

/** How an inbox in a room is opened. */
export interface RoomInboxOptions {
  readonly retentionMs?: number | undefined;
  readonly pace?: Partial<Pace> | undefined;
}

/** How long a stop waits for the connections. */
const CLOSE_MS = 1_500;

/** An inbox on a room that nothing else uses: its stop closes the room. */
export function roomInbox(room: Room, options: RoomInboxOptions): SqlInbox {
  const pace = { ...DEFAULT_PACE, ...options.pace };
  const retentionMs = retentionFor(options.retentionMs, pace);
  const inbox = sqlInbox(room.tables(INBOX), { retentionMs, pace });
  let isStopped = false;
  const start: Inbox["start"] = async (worker) => {
    if (isStopped) throw alreadyStarted();
    await inbox.start(worker);
  };
  const stop: Inbox["stop"] = async (timeoutMs) => {
    isStopped = true;
    await inbox.stop(timeoutMs);
    await waitAtMost(room.close(), CLOSE_MS);
  };
  return { ...inbox, start, stop };
}
