import { isErrorEnvelope } from "../../client/response/envelope.ts";
import type { Outcome, Received } from "./http/exchange.ts";
import type { Step } from "./steps/step.ts";

/** Whether the service did what was asked, with a body of JSON or with none. */
export function isSuccess({ status, json, text }: Received): boolean {
  const isRead = json !== undefined || text.trim() === "";
  return status >= 200 && status < 300 && isRead && !isErrorEnvelope(json);
}

/** The status of a rejection that is about the key, whatever else is wrong. */
const isAboutKey = ({ status }: Received) => status === 401 || status === 403;

/** A text without what changes from one response to the next: ids, numbers and times. */
const withoutNumbers = (text: string) =>
  text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "").replace(/\d+/g, "");

/** Whether two rejections have the same cause, as far as status and text show it. */
const isSameRejection = (one: Received, other: Received): boolean =>
  one.status === other.status && withoutNumbers(one.text) === withoutNumbers(other.text);

const NO_CAUSE = { cause: undefined };

/**
 * What the service rejected a request for. A request with one mistake can be rejected for another one,
 * such as a scope that the key lacks.
 *
 * @param unknownId - How the service rejects an unknown id of the same resource.
 */
export function classify(step: Step, received: Received, unknownId: Received | undefined): Outcome {
  const { cause } = step;
  if (received.status === 429) return { cause: "rate_limit" };
  // Some services respond with 500 to an unknown id: it is their answer. Any other failure tells nothing.
  const isAnswer = cause === "unknown_id" && received.status === 500;
  if (cause === undefined || (received.status >= 500 && !isAnswer)) return NO_CAUSE;
  switch (cause) {
    case "unknown_id": {
      // Services may keep what was deleted.
      if (step.part === "after deletion" && step.method === "GET" && isSuccess(received)) {
        return NO_CAUSE;
      }
      const isClear = !isAboutKey(received) || (unknownId && isSameRejection(received, unknownId));
      return isClear ? { cause } : { cause: "missing_scope" };
    }
    case "wrong_kind":
      // A service that does not look at the kind of the key finds no such id.
      return step.part === "rejections" && unknownId && isSameRejection(received, unknownId)
        ? "unclear"
        : { cause };
    case "invalid_field":
      return isAboutKey(received) ? NO_CAUSE : { cause };
    default:
      return { cause };
  }
}
