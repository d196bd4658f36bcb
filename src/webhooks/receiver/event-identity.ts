import { sign } from "#hmac";
import type { WebhookEvent } from "../../contract/events.ts";

/** A value, with what stands before it. */
type Piece = readonly [before: string, value?: unknown];

function piecesOf(value: object): Piece[] {
  if (Array.isArray(value)) return [["["], ...value.map((item): Piece => [",", item]), ["]"]];
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return [["{"], ...fields.map(([name, item]): Piece => [JSON.stringify(name), item]), ["}"]];
}

/**
 * A text that is the same for JSON of the same content, whatever the order of its fields. Made without
 * recursion: a body of a megabyte may nest deeper than a stack.
 */
function canonical(root: unknown): string {
  const texts: string[] = [];
  const stack: Piece[] = [["", root]];
  for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
    const [before, value] = piece;
    texts.push(before);
    if (typeof value === "object" && value !== null) {
      for (const inner of piecesOf(value).reverse()) stack.push(inner);
    } else if (value !== undefined) {
      texts.push(JSON.stringify(value));
    }
  }
  return texts.join(" ");
}

// A number past 2^53 was rounded when it was parsed, and may be another payment's too.
const isName = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

// With a key that all know, an HMAC is a digest: it saves receivers a second hash to load.
const digestOf = (bytes: string | Uint8Array): string => sign("malipo", bytes);

/** What an event is known by again. */
export interface EventIdentity {
  /** The same for every delivery of the event. */
  readonly key: string;
  /** The same for every faithful repeat of it. */
  readonly digest: string;
}

/**
 * The identity of an event: its kind with `data.reference`, else with `data.payment_id`, else the
 * digest of the raw bytes. A changed `timestamp` makes no other event and no conflict.
 *
 * @see Service interface, section 6.8.
 */
export function identityOf({ event, data }: WebhookEvent, raw: string | Uint8Array): EventIdentity {
  const { reference, payment_id } = data;
  // As JSON, so that no reference can be mistaken for another's kind, nor "1" for 1.
  const name = isName(reference)
    ? ["reference", reference]
    : isName(payment_id)
      ? ["payment_id", payment_id]
      : ["raw", digestOf(raw)];
  return { key: digestOf(JSON.stringify([event, ...name])), digest: digestOf(canonical(data)) };
}
