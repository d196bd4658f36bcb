import { isObject } from "../internal/is-object.ts";
import { fieldPath, ROOT } from "./paths.ts";
import type { ServiceProfile } from "./profile-types.ts";

/** What a body with a status of success states about its request. */
export interface BodyResult {
  /** Where it stands, such as `header.statusCode`. */
  readonly path: string;
  readonly value: string;
  readonly hasFailed: boolean;
  /** The status that the code stands for, if it is one of HTTP. */
  readonly status: number | undefined;
  /** Whether it cannot be read otherwise: a flag that is `false`, or a value that was learned. */
  readonly isSure: boolean;
  /** Whether it is a flag, such as `success`. A code may stand for anything. */
  readonly isFlag: boolean;
}

/** Names without case and separators. */
const FLAG = /^(?:is)?(?:request)?(?:success|successful|succeeded|ok)$/;
const CODE = /^(?:status|response|result|return|resp|error)?code$|^status$/;
const CONTAINER = /^(?:header|head|status|meta)$/;
const FAILED =
  /^(?:error|fail|failed|failure|rejected|invalid|not_?found|unauthorized|forbidden)$/i;
const OK_CODE = /^(?:0+|1|1\d\d|2\d\d)$/;

const plain = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

interface Candidate {
  readonly path: string;
  readonly name: string;
  readonly value: string;
  readonly isFlag: boolean;
}

/** The fields of an envelope that may hold a result: those of the body, and of an object for it. */
export function bodyResultFields(body: unknown, path = ROOT): Candidate[] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([key, value]) => {
    const name = plain(key);
    const at = fieldPath(path, key);
    if (isObject(value)) {
      return path === ROOT && CONTAINER.test(name) ? bodyResultFields(value, at) : [];
    }
    const isFlag = typeof value === "boolean" && (FLAG.test(name) || name === "status");
    const isCode = /string|number/.test(typeof value) && CODE.test(name);
    return isFlag || isCode ? [{ path: at, name, value: String(value), isFlag }] : [];
  });
}

/** What holds the resource of a success, and is empty in an error. */
const WRAPPER = /^(?:data|response|responsebody|payload|content|result)$/;

/** What an error has beside its result. */
const BESIDE =
  /(?:message|description|desc|details?|title|type|reason|errors?|fault|time|timestamp|path|version|instance|links?|url|requestid|traceid)$/;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === "object" && Object.keys(value).length === 0);

/**
 * Whether a body holds nothing that could be a resource: its wrapper is empty, or it is only an error.
 * A text is no resource, such as `result: "FAIL"`.
 */
function holdsNoResource(body: Readonly<Record<string, unknown>>): boolean {
  const fields = Object.entries(body)
    .map(([key, value]) => [plain(key), value] as const)
    .filter(([name, value]) => !(WRAPPER.test(name) && typeof value === "string"));
  const wrapped = fields.filter(([name]) => WRAPPER.test(name));
  if (wrapped.length > 0) return wrapped.every(([, value]) => isEmpty(value));
  return fields.every(
    ([name, value]) =>
      isEmpty(value) ||
      (CONTAINER.test(name) && isObject(value)) ||
      [FLAG, CODE, BESIDE].some((known) => known.test(name)),
  );
}

/** Whether a body has no field of a resource at its top: a `code` there is that of the request. */
export const isEnvelope = (body: unknown): boolean =>
  isObject(body) &&
  (holdsNoResource(body) || Object.keys(body).some((key) => WRAPPER.test(plain(key))));

/** Whether a candidate states that the request failed, as far as names and values in common use show it. */
function hasFailed({ name, value, isFlag }: Candidate, isBare: boolean): boolean {
  if (isFlag) return value === "false" && (name !== "status" || isBare);
  if (!isBare) return false;
  if (name === "status" && FAILED.test(value)) return true;
  return /^\d{1,6}$/.test(value) ? !OK_CODE.test(value) : name === "errorcode" && value !== "";
}

/**
 * What a body states about its request, whatever its status is. `undefined`: it states nothing.
 *
 * @param learned - What is known of the service. Without it, only what is in common use counts.
 */
export function readBodyResult(
  body: unknown,
  learned: ServiceProfile["bodyResults"] = {},
): BodyResult | undefined {
  if (!isObject(body)) return undefined;
  const isBare = holdsNoResource(body);
  const found = bodyResultFields(body).map((one) => {
    const { success = {}, failure = {} } = learned[one.path] ?? {};
    // Beside a resource, `status` is the status of the resource.
    const isResult = one.name !== "status" || isBare;
    const isKnown = isResult && one.value in success !== one.value in failure;
    const failed = isKnown ? one.value in failure : hasFailed(one, isBare);
    return { ...one, hasFailed: failed, isSure: isKnown || (one.isFlag && failed) };
  });
  const failed = found.filter((one) => one.hasFailed);
  const [first] = [...failed.filter(({ isSure }) => isSure), ...failed];
  const [passed] = found.filter(({ isSure }) => isSure);
  const bodyResult = first ?? passed;
  if (bodyResult === undefined) return undefined;
  const { path, value, isSure, isFlag } = bodyResult;
  const code = found.find((one) => /^[45]\d\d$/.test(one.value))?.value;
  const status = bodyResult.hasFailed && code !== undefined ? Number(code) : undefined;
  return { path, value, hasFailed: bodyResult.hasFailed, status, isSure, isFlag };
}
