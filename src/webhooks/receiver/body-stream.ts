import { WebhookVerificationError } from "../../errors/webhook.ts";
import type { RawBody } from "../verification/raw-body.ts";
import { type Outcome, rejected, rejectWith } from "./accept.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";
import { reject } from "./webhook-responses.ts";

/** A body that was not read yet. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** A body that was read; the outcome of its request if that is known by then. */
export interface ReadBody {
  readonly body?: RawBody;
  readonly outcome?: Outcome;
}

/** How many bytes of a rejected body are read and dropped; then the connection is closed. */
const MAX_DROPPED_BYTES = 8_388_608;

export function isStream(body: unknown): body is BodyStream {
  try {
    return typeof Object(body)[Symbol.asyncIterator] === "function";
  } catch {
    return false; // a Proxy
  }
}

/**
 * Reads a body, and stops as soon as it is too large.
 *
 * @param rejection - Of a request whose headers are enough to reject it: nothing of its body is used.
 */
export async function readBody(
  stream: BodyStream,
  settings: ReceiverSettings,
  rejection: Outcome | undefined,
): Promise<ReadBody> {
  const { maxBodyBytes } = settings;
  const chunks: Uint8Array[] = [];
  let length = 0;
  let outcome = rejection;
  try {
    const iterator = stream[Symbol.asyncIterator]();
    while (outcome === undefined) {
      const { done, value } = await iterator.next();
      if (done) return { body: joined(chunks, length) };
      if (!ArrayBuffer.isView(value)) {
        const error = noBytes(value);
        outcome = rejected(rejectWith(error, settings), error);
        break;
      }
      chunks.push(value);
      length += value.byteLength;
      if (length > maxBodyBytes) outcome = rejected(reject(413, "too large"));
    }
    if (outcome !== undefined) void dropRest(iterator);
  } catch (error) {
    outcome ??= cutOff(error, settings);
  }
  return { outcome };
}

const noBytes = (chunk: unknown) =>
  new WebhookVerificationError(
    "body_not_raw",
    `The body was decoded before the receiver: its stream has chunks of the type ${typeof chunk}. Pass the raw bytes, without setEncoding() or a TextDecoderStream.`,
    500,
  );

/** What runtimes throw if the sender closes the connection: no one waits for a response. */
const SENDER_GONE =
  /^(?:ECONNRESET|EPIPE|ABORT_ERR|ERR_STREAM_PREMATURE_CLOSE|AbortError|aborted|terminated)$/;

/** The outcome of a body that its stream does not give to the end. The framework may have a limit of its own. */
function cutOff(error: unknown, settings: ReceiverSettings): Outcome {
  const { code, name, message, status, statusCode } = Object(error) as Record<string, unknown>;
  if ([code, name, message].some((one) => SENDER_GONE.test(String(one))))
    return rejected(reject(400, "the body ended early"));
  if ([status, statusCode].every((one) => one !== 413))
    return rejected(rejectWith(error, settings), error);
  settings.onError(error);
  return rejected(reject(413, "too large"), error);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  // The receiver copies the body, so that one chunk need not be copied here.
  if (first !== undefined && chunks.length === 1) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Reads the rest of a body and drops it. Without that, the sender would see a reset connection instead
 * of the response, or would wait on a connection that is not read.
 */
async function dropRest(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (let left = MAX_DROPPED_BYTES; left > 0; ) {
      const { done, value } = await chunks.next();
      if (done) return;
      left -= value.byteLength;
    }
    await chunks.return?.();
  } catch {
    // The sender is gone.
  }
}
