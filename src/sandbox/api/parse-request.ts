import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { ErrorResponse } from "../exchange/error-response.ts";

/** The JSON object in the body of a request. */
export type Body = Record<string, unknown>;

const { maxDepth } = ASSUMPTIONS.sizes.value;

/** @throws {ErrorResponse} for anything but a JSON object. */
export function parseObject(text: string): Body {
  const body = parseJson(text);
  if (isObject(body)) return body;
  const problem = body === undefined ? "not valid JSON" : "not a JSON object";
  throw new ErrorResponse("invalid_json", `The body is ${problem}.`);
}

/** @throws {ErrorResponse} for anything but a JSON object. An empty body is an empty object. */
export function parseBody(text: string): Body {
  const body = parseObject(text.trim() || "{}");
  if (!isDeeperThan(maxDepth, body)) return body;
  throw new ErrorResponse("invalid_json", `The body is nested more than ${maxDepth} levels deep.`);
}

const isDeeperThan = (max: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isDeeperThan(max - 1, inner)));

/** A part of a path. @throws {ErrorResponse} */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ErrorResponse("invalid_path", "The path is not valid percent-encoding.");
  }
}
