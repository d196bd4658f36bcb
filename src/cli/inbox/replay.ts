import { isLoopback } from "../../internal/loopback.ts";
import type { WithBody } from "../../webhooks/inbox/event-list.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { adviceFor, type ReceiverResponse, sendDelivery } from "../diagnosis/send-delivery.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl } from "../input/flag-values.ts";
import { formatTable } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { readEvents, type Selected, type StoredEvent } from "./events.ts";
import { oneLine } from "./list.ts";

interface Replayed {
  readonly id: string;
  readonly event: string;
  readonly response: ReceiverResponse;
  readonly advice?: string | undefined;
}

const MAX_TEXT_LENGTH = 200;

/** `malipo inbox replay` */
export async function replayEvents(selection: Selected, input: Input): Promise<Output> {
  const to = readTarget(input);
  const events = await readEvents(selection, input.args);
  // Before the first is sent.
  const signed = events.map(withSignature);
  const replayed: Replayed[] = [];
  const progress = showProgress({
    line: () => `${replayed.length} of ${signed.length} events sent`,
    share: () => replayed.length / signed.length,
  });
  try {
    for (const { id, event = "", body, signature } of signed) {
      const response = await sendDelivery(to, body, signature);
      replayed.push({ id, event, response, advice: adviceFor(response) });
    }
  } finally {
    progress.end();
  }
  const isAccepted = replayed.every(({ response }) => response.status === 200);
  return {
    value: { to: to.href, replayed },
    text: () => formatTable([["status", "event", "id", "response"], ...replayed.map(rowOf)]),
    exitCode: isAccepted ? EXIT.ok : EXIT.failed,
  };
}

function rowOf({ id, event, response: { status, body }, advice = body }: Replayed): string[] {
  const text = oneLine(advice, MAX_TEXT_LENGTH);
  return [String(status), oneLine(event), oneLine(id), text];
}

/** A body holds phone numbers and names: it leaves this machine only with `--remote`. */
function readTarget({ values, switches }: Input): URL {
  const to = readUrl(values, "to");
  if (isLoopback(to.hostname) || switches.has("remote")) return to;
  throw usageError(
    `--to ${to.origin} is not this machine. The event has a customer's data and a genuine signature: the receiver there will believe it. To send it anyway, add --remote.`,
  );
}

function withSignature(event: WithBody<StoredEvent>) {
  const { id, signature } = event;
  if (signature !== undefined) return { ...event, signature };
  throw usageError(
    `${JSON.stringify(id)} was stored without its signature: it cannot be replayed.`,
  );
}
