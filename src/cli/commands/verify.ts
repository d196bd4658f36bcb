import { type WebhookErrorCode, WebhookVerificationError } from "../../errors/webhook.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { verifyWebhook } from "../../webhooks/verification/verify-webhook.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { explainMismatch } from "../diagnosis/explain-mismatch.ts";
import { EXIT } from "../exit-codes.ts";
import type { SecretFlags } from "../flags/common.ts";
import type { VERIFY } from "../flags/tools.ts";
import { readBytes } from "../input/files.ts";
import { readWholeNumber, requireValue, signingSecret } from "../input/flag-values.ts";
import { paint } from "../terminal/output.ts";
import { formatFields } from "../terminal/table.ts";

const MAX_AGE_SECONDS = 366 * 24 * 3_600;

/** `malipo sign` */
export async function sign(input: Input<SecretFlags>): Promise<Output> {
  const secret = signingSecret(input);
  const body = await readBytes(input.io, input.args[0]);
  const signature = signWebhook(body, secret);
  const value = { header: "X-Service-Signature", signature, bytes: body.length };
  return { value, text: () => signature };
}

/** `malipo verify` */
export async function verify(input: Input<FlagsOf<typeof VERIFY>>): Promise<Output> {
  const { flags, io } = input;
  // The header line may have been copied whole.
  const signature = requireValue(flags, "signature").replace(/^x-service-signature\s*:\s*/i, "");
  const secrets =
    flags.secret.length > 0
      ? flags.secret
      : [signingSecret({ ...input, flags: { ...flags, secret: undefined } })];
  if (secrets.includes("")) {
    throw usageError("--secret is empty. If it comes from a variable, check that it is set.");
  }
  const maxAgeSeconds = flags["max-age"] && readWholeNumber(flags, "max-age", 1, MAX_AGE_SECONDS);
  const body = await readBytes(io, input.args[0]);
  try {
    const options = { body, signature, secret: secrets };
    const event = verifyWebhook({ ...options, ...(maxAgeSeconds && { maxAgeSeconds }) });
    const value = { genuine: true, bytes: body.length, event };
    return {
      value,
      text: () =>
        `${paint("green", "The signature is genuine.")}\n${formatFields([
          ["event", event.event],
          ["timestamp", event.timestamp],
          ["bytes", String(body.length)],
        ])}`,
    };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { code, status, message } = error;
    const why = EXPLANATIONS[code]({ body, signature, secrets, headers: flags.header }, message);
    const value = { genuine: false, bytes: body.length, code, why, status };
    const text = () =>
      `${paint("red", TITLES[code] ?? "The delivery is not genuine.")}\n${formatFields([
        ["code", code],
        ["why", why],
        ["respond", `with status ${status}`],
        ["bytes", String(body.length)],
      ])}`;
    return { value, text, exitCode: EXIT.failed };
  }
}

const TITLES: Readonly<Partial<Record<WebhookErrorCode, string>>> = {
  payload_invalid: "The signature is genuine, but the body is not a valid event.",
};

const EXPECTED = "It must be 64 hex digits, the value of the header X-Service-Signature.";

const UNEXPLAINED =
  "It was signed with another secret, or the body was changed after signing. First compare the secret with the one that the service shows; `npx malipo env` prints that of a sandbox. It is none of the usual other causes: changed line endings, a byte order mark, re-serialised JSON, white space around the secret, or a time that was signed with the body.";

interface Delivery {
  readonly body: Buffer;
  readonly signature: string;
  readonly secrets: readonly string[];
  readonly headers: readonly string[];
}

/** Why verification failed, by the code of the error. */
const EXPLANATIONS: Readonly<
  Record<WebhookErrorCode, (delivery: Delivery, message: string) => string>
> = {
  signature_missing: () => `The signature is missing. ${EXPECTED}`,
  signature_malformed: ({ signature }) => {
    const isBase64 = /^[A-Za-z0-9+/]{43}=$/.test(signature);
    return isBase64
      ? `The signature is base64. ${EXPECTED}`
      : `The signature has ${signature.length} characters. ${EXPECTED}`;
  },
  signature_mismatch: ({ body, signature, secrets, headers }) => {
    const digits = signature
      .trim()
      .replace(/^sha256=/i, "")
      .toLowerCase();
    const found = explainMismatch(body, secrets, digits, headers);
    if (found !== undefined) return found;
    return body.length === 0 ? EMPTY_BODY : UNEXPLAINED;
  },
  timestamp_out_of_range: (_, message) =>
    `${message} The signature is genuine. This may be a replay, a late redelivery (the timestamp stays the first one), or a wrong clock on this machine.`,
  payload_invalid: ({ body }) => explainPayload(body),
  body_not_raw: (_, message) => message,
};

const EMPTY_BODY = "The body is empty. It may have been read before it was verified.";

/** Why a body with a genuine signature is not a valid event. */
function explainPayload(body: Buffer): string {
  if (body.length === 0) return EMPTY_BODY;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    const position = findInvalidByte(body);
    const byte = body.subarray(position, position + 1).toString("hex");
    return `The body is not valid UTF-8: byte ${position} (0x${byte}) is invalid. The signature is genuine: it covers the bytes.`;
  }
  const event = parseJson(text);
  if (event === undefined) return "The body is not valid JSON.";
  if (!isObject(event)) return "The body is JSON, but not an object.";
  if (typeof event.event !== "string") return "`event` is not a string with the name of the event.";
  if (!isObject(event.data)) return "`data` is not an object.";
  return "`timestamp` is not an ISO 8601 time with an offset. --max-age needs one.";
}

/** The position of the first byte that is not valid UTF-8. */
function findInvalidByte(body: Buffer): number {
  let position = 0;
  // A valid character encodes to the bytes it came from. An invalid byte is decoded as a
  // replacement character, which encodes to other bytes.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  for (const character of text) {
    const bytes = Buffer.from(character);
    if (!bytes.equals(body.subarray(position, position + bytes.length))) break;
    position += bytes.length;
  }
  return position;
}
