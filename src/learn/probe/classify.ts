import type { RejectionCause } from "../../profile/causes.ts";
import { isSuccess, type Received } from "./http/exchange.ts";
import type { Step } from "./steps/step.ts";

/** The status of a rejection that is about the key, whatever else is wrong. */
export const isAboutKey = ({ status }: Received) => status === 401 || status === 403;

/** A text without what changes from one response to the next: ids, numbers and times. */
const withoutNumbers = (text: string) =>
  text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "").replace(/\d+/g, "");

/** Whether two rejections have the same cause, as far as status and text show it. */
const isSameRejection = (one: Received, other: Received): boolean =>
  one.status === other.status && withoutNumbers(one.body) === withoutNumbers(other.body);

/**
 * What the service rejected a request for. A request with one mistake can be rejected for another one,
 * such as a scope that the key lacks.
 *
 * @param unknownId - How the service rejects an unknown id of the same resource.
 * @returns `unclear` if nothing is to be learned from it.
 */
export function classify(
  { cause, part, method }: Step,
  received: Received,
  unknownId: Received | undefined,
): RejectionCause | "unclear" | undefined {
  // Some services respond with 500 to an unknown id: it is their answer. Any other failure tells nothing.
  const isAnswer = cause === "unknown_id" && received.status === 500;
  if (received.status >= 500 && !isAnswer) return undefined;
  switch (cause) {
    case "unknown_id": {
      // Services may keep what was deleted.
      if (part === "after deletion" && method === "GET" && isSuccess(received)) return undefined;
      const isClear = !isAboutKey(received) || (unknownId && isSameRejection(received, unknownId));
      return isClear ? cause : "missing_scope";
    }
    case "wrong_kind":
      // A service that does not look at the kind of the key finds no such id.
      return part === "rejections" && unknownId && isSameRejection(received, unknownId)
        ? "unclear"
        : cause;
    case "invalid_field":
      return isAboutKey(received) ? undefined : cause;
    default:
      return cause;
  }
}
