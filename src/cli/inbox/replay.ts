import type { FlagsOf } from "../../internal/flags.ts";
import { isLoopback } from "../../internal/urls.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { adviceFor, type ReceiverResponse, sendDelivery } from "../diagnosis/send-delivery.ts";
import { EXIT } from "../exit-codes.ts";
import type { INBOX_REPLAY } from "../flags/stores.ts";
import { readUrl } from "../input/flag-values.ts";
import { showProgress } from "../terminal/progress.ts";
import { formatTable } from "../terminal/table.ts";
import { oneLine } from "./list.ts";
import { onList, readEvents } from "./listed-events.ts";

const MAX_TEXT_LENGTH = 200;

/** `malipo inbox replay` */
export const replay = onList(async (selection, input: Input<FlagsOf<typeof INBOX_REPLAY>>) => {
  const to = readTarget(input);
  const events = await readEvents(selection, input.args);
  const unsigned = events.find(({ signature }) => signature === undefined);
  if (unsigned !== undefined) {
    throw usageError(
      `${JSON.stringify(unsigned.id)} was stored without its signature: it cannot be replayed.`,
    );
  }
  const replayed: { id: string; event: string; response: ReceiverResponse; advice?: string }[] = [];
  const progress = showProgress({
    output: input.io.stderr,
    isHidden: input.json,
    line: () => `${replayed.length} of ${events.length} events sent`,
    share: () => replayed.length / events.length,
  });
  try {
    for (const { id, event = "", body, signature = "" } of events) {
      const response = await sendDelivery(to, body, signature);
      const advice = adviceFor(response);
      replayed.push({ id, event, response, ...(advice && { advice }) });
    }
  } finally {
    progress.end();
  }
  const isAccepted = replayed.every(({ response }) => response.status === 200);
  return {
    value: { to: to.href, replayed },
    text: () =>
      formatTable(input.io.stdout, [
        ["status", "event", "id", "response"],
        ...replayed.map(({ id, event, response: { status, body }, advice = body }) => [
          String(status),
          oneLine(event),
          oneLine(id),
          oneLine(advice, MAX_TEXT_LENGTH),
        ]),
      ]),
    exitCode: isAccepted ? EXIT.ok : EXIT.failed,
  };
});

/** A body holds phone numbers and names: it leaves this machine only with `--remote`. */
function readTarget({ flags }: Input<FlagsOf<typeof INBOX_REPLAY>>): URL {
  const to = readUrl(flags, "to");
  if (isLoopback(to.hostname) || flags.remote) return to;
  throw usageError(
    `--to ${to.origin} is not this machine. The event has a customer's data and a genuine signature: the receiver there will believe it. To send it anyway, add --remote.`,
  );
}
