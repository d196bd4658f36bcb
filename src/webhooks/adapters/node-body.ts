import type { IncomingMessage } from "node:http";
import type { WebhookRequest } from "../receiver/accept.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import type { WebhookResponse } from "../receiver/webhook-responses.ts";

/** A request of `node:http`, with the fields that frameworks add. */
export type NodeRequest = IncomingMessage & {
  /** The parsed body, or the raw one on a route with a raw parser. */
  readonly body?: unknown;
  /** The raw body: Nest, Google Cloud Functions. */
  readonly rawBody?: unknown;
  /** The URL as it was before a router took its own path off: Express, Connect. */
  readonly originalUrl?: string;
};

type Chunk = IteratorResult<Uint8Array, undefined>;

/**
 * The body of a request, by its events: half of the work of the stream's own iterator. It is read only as
 * fast as it is asked for. A reader that leaves closes the connection: Node.js would keep it open.
 */
class BodyChunks implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #request: NodeRequest;
  readonly #chunks: Uint8Array[] = [];
  #isListening = false;
  #end: { readonly error?: Error } | undefined;
  /** Set while the reader waits. */
  #wake: (() => void) | undefined;

  constructor(request: NodeRequest) {
    this.#request = request;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #listen(): void {
    this.#isListening = true;
    const request = this.#request;
    const endWith = (error?: Error) => {
      this.#end ??= error === undefined ? {} : { error };
      this.#wake?.();
    };
    // These events do not come again.
    if (request.readableEnded) endWith();
    else if (request.destroyed) endWith(endedEarly());
    request.on("data", (chunk: Uint8Array) => {
      this.#chunks.push(chunk);
      if (this.#wake === undefined) request.pause();
      this.#wake?.();
      this.#wake = undefined;
    });
    request.once("end", () => endWith());
    request.on("error", endWith);
    // It comes after each end, too, and an error costs a trace of the stack.
    request.once("close", () => this.#end ?? endWith(endedEarly()));
  }

  async next(): Promise<Chunk> {
    if (!this.#isListening) this.#listen();
    if (this.#chunks.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#request.resume();
      });
    }
    const value = this.#chunks.shift();
    if (value !== undefined) return { value, done: false };
    if (this.#end?.error !== undefined) throw this.#end.error;
    return { value: undefined, done: true };
  }

  async return(): Promise<Chunk> {
    this.#request.destroy();
    return { value: undefined, done: true };
  }
}

const endedEarly = () =>
  Object.assign(new Error("The request was closed before its body ended."), { code: "ECONNRESET" });

/**
 * The response of a receiver to a request of `node:http`. Reads the raw body, or takes it from the
 * field in which a framework stores it.
 *
 * @param hint - Tells which line to move if the body is not raw.
 */
export async function responseTo(
  request: NodeRequest,
  receiver: WebhookReceiver,
  hint: (request: NodeRequest) => string,
): Promise<WebhookResponse> {
  const { method = "GET", headers, url = "/", originalUrl = url } = request;
  const handle = (body: WebhookRequest["body"]) =>
    receiver.handle({ method, headers, url: originalUrl, body });
  if (method !== "POST") return handle("");
  for (const stored of [request.rawBody, request.body]) {
    if (stored instanceof Uint8Array) return handle(stored);
  }
  // It was parsed, decoded or read: reading would wait for ever, or give half of the bytes.
  const isDecoded = request.readableEncoding !== null;
  if (request.body !== undefined || request.readableDidRead || isDecoded) {
    return receiver.rejectParsedBody(hint(request));
  }
  return handle(new BodyChunks(request));
}
