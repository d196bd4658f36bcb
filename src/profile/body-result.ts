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
  /** Whether it is `success: false` or its like. A code or a word may stand for anything. */
  readonly isFlag: boolean;
}

/** A name or a word without case and separators. */
const plain = (name: string): string => name.replace(/[ _-]/g, "").toLowerCase();

/** Names without case and separators. */
const FLAG = /^(?:is)?(?:request)?(?:success|successful|succeeded|ok)$/;
const ERROR_FLAG = /^(?:is|has)?(?:error|failed)$/;
const CODE = /^(?:status|response|result|return|resp|error)?code$|^(?:status|result|rc)$/;
const CONTAINER = /^(?:header|head|status|meta)$/;
const PASSED = /^(?:success|successful|succeeded|ok|none)$/i;
const NO = /^(?:false|no|0)$/i;
const OK_CODE = /^(?:0+|1\d\d|2\d\d)$/;
/** Of M-Pesa, 1 is a failure; elsewhere it is often a success. */
const MPESA_CODE = /^(?:result|response)code$|^rc$/;

/** The words of a failure, and the status of HTTP that stands for each. */
const FAILED_WORDS: Readonly<Record<string, number | undefined>> = {
  ...{ error: undefined, fail: undefined, failed: undefined, failure: undefined },
  ...{ rejected: undefined, declined: undefined, nok: undefined, ko: undefined },
  ...{ unsuccessful: undefined, notfound: 404, unauthorized: 401, unauthenticated: 401 },
  ...{ forbidden: 403, invalid: 422, validationerror: 422, toomanyrequests: 429 },
};

const isFailedWord = (value: string): boolean => Object.hasOwn(FAILED_WORDS, plain(value));

interface Candidate {
  readonly path: string;
  readonly name: string;
  readonly value: string;
  /** `yes-no`: it says so in another way than by a boolean, or by a field such as `error`. */
  readonly kind: "flag" | "yes-no" | "code";
}

function kindOf(name: string, value: unknown): Candidate["kind"] | undefined {
  const isBoolean = typeof value === "boolean";
  if (isBoolean && (FLAG.test(name) || name === "status")) return "flag";
  if (isBoolean && ERROR_FLAG.test(name)) return "yes-no";
  if (FLAG.test(name) && /^(?:true|false|yes|no|1|0)$/i.test(String(value))) return "yes-no";
  return /string|number/.test(typeof value) && CODE.test(name) ? "code" : undefined;
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
    const kind = kindOf(name, value);
    return kind === undefined ? [] : [{ path: at, name, value: String(value), kind }];
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
 * A text is not a resource, such as `result: "FAIL"`.
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
function hasFailed({ name, value, kind }: Candidate, isBare: boolean): boolean {
  if (ERROR_FLAG.test(name)) return value === "true" && isBare;
  // Beside a resource, `status` is the status of the resource, and only a boolean is clear.
  if (kind !== "code") return NO.test(value) && (isBare || (kind === "flag" && name !== "status"));
  if (!isBare || PASSED.test(value)) return false;
  if (isFailedWord(value)) return true;
  if (name === "status" || name === "result") return false;
  if (value === "1") return MPESA_CODE.test(name);
  return /^\d{1,6}$/.test(value) ? !OK_CODE.test(value) : name === "errorcode" && value !== "";
}

/** An `error` with a text or fields. It has no value that a profile could keep. */
function errorField(body: Readonly<Record<string, unknown>>): Candidate[] {
  const { error } = body;
  const isError = typeof error === "string" ? error !== "" : isObject(error) && !isEmpty(error);
  return isError ? [{ path: "error", name: "error", value: "true", kind: "yes-no" }] : [];
}

/** Whether a flag or a word says that the request succeeded. */
function hasPassed({ name, value, kind }: Candidate, isBare: boolean): boolean {
  if (ERROR_FLAG.test(name)) return false;
  return kind === "code" ? isBare && name === "status" && PASSED.test(value) : !NO.test(value);
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
  const found = [...bodyResultFields(body), ...errorField(body)].map((one) => {
    const { success = {}, failure = {} } = learned[one.path] ?? {};
    // Beside a resource, `status` is the status of the resource.
    const isResult = one.name !== "status" || isBare;
    const isKnown = isResult && one.value in success !== one.value in failure;
    const failed = isKnown ? one.value in failure : hasFailed(one, isBare);
    return { ...one, hasFailed: failed, isSure: isKnown || (one.kind === "flag" && failed) };
  });
  // A flag or a word of success outweighs an unknown code, such as `code: 4001`.
  const isPassed = found.some((one) => hasPassed(one, isBare));
  const failed = found.filter((one) => one.hasFailed && (one.isSure || !isPassed));
  const [first] = [...failed.filter(({ isSure }) => isSure), ...failed];
  const [passed] = found.filter(({ isSure }) => isSure);
  const bodyResult = first ?? passed;
  if (bodyResult === undefined) return undefined;
  const { path, value, isSure } = bodyResult;
  const code = found.find((one) => /^[45]\d\d$/.test(one.value))?.value;
  const word = found.find((one) => one.kind === "code" && isFailedWord(one.value))?.value ?? "";
  const stands = code === undefined ? FAILED_WORDS[plain(word)] : Number(code);
  const status = bodyResult.hasFailed ? stands : undefined;
  return {
    path,
    value,
    hasFailed: bodyResult.hasFailed,
    status,
    isSure,
    isFlag: bodyResult.kind === "flag",
  };
}
