import { isObject } from "../../internal/is-object.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { ErrorResponse } from "../exchange/error-response.ts";

/** The JSON object in the body of a request. */
export type Body = Record<string, unknown>;

const { maxDepth } = ASSUMPTIONS.sizes.value;

/** @throws {ErrorResponse} for anything but a JSON object. An empty body is an empty object. */
export function parseBody(text: string): Body {
  if (text.trim() === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ErrorResponse("invalid_json", "The body is not valid JSON.");
  }
  if (!isObject(body)) throw new ErrorResponse("invalid_json", "The body is not a JSON object.");
  if (isDeeperThan(maxDepth, body)) {
    throw new ErrorResponse(
      "invalid_json",
      `The body is nested more than ${maxDepth} levels deep.`,
    );
  }
  return body;
}

const isDeeperThan = (max: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isDeeperThan(max - 1, inner)));
