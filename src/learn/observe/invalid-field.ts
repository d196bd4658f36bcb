import { isFieldName } from "../../profile/vocabulary/names.ts";
import type { ParsedBody } from "../exchange.ts";
import { textsIn } from "./shape.ts";

/** In an error, these hold the problems by the name of the field. */
const CONTAINERS =
  /^(?:errors|fields|violations|invalid_params|validation_errors|validation|details|messages|issues)$/i;

/** The fields of requests and the parameters of queries. */
const REQUEST_FIELDS = [
  ...["amount", "phone", "description", "account_reference", "payment_account_id", "name", "url"],
  ...["events", "reference", "checkout_request_id", "status", "due_at"],
  ...["page", "per_page", "limit"],
];

/** The field that an error names. */
export function wrongField({ value }: ParsedBody): string | undefined {
  const texts = textsIn(value);
  return REQUEST_FIELDS.find((name) => texts.has(name));
}

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Whether a key of an error is the name of the field that was invalid: `{ errors: { phone: ["..."] } }`. */
export const isInvalidField = (container: string, key: string, value: unknown): boolean =>
  container === ""
    ? REQUEST_FIELDS.includes(key) && isMessages(value)
    : CONTAINERS.test(container) &&
      (REQUEST_FIELDS.includes(key) || (isMessages(value) && isFieldName(key)));
