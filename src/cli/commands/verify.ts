import { isGatewayError } from "../../errors/any.ts";
import type { WebhookErrorCode } from "../../errors/webhook.ts";
import { verifyWebhook } from "../../webhooks/verification/verify.ts";
import type { Input } from "../definitions/types.ts";
import { whyMismatch } from "../diagnosis/why-mismatch.ts";
import { whyNoEvent } from "../diagnosis/why-no-event.ts";
import { EXIT } from "../exit-codes.ts";
import { usage } from "../failure.ts";
import { readBytes } from "../input/files.ts";
import { needed, secretOf, wholeNumber } from "../input/values.ts";
import { columns, paint, result } from "../terminal/output.ts";

/** What was checked, once more, for whoever asks why it failed. */
interface Checked {
  readonly body: Buffer;
  readonly signature: string;
  readonly secrets: readonly string[];
}

const YEAR_SECONDS = 366 * 24 * 3_600;

export async function run({ args: [file], text, many, json }: Input): Promise<number> {
  // As a header line, where it was copied whole.
  const given = needed("signature", text.signature);
  const signature = given.replace(/^x-service-signature\s*:\s*/i, "");
  const secrets = many.secret ?? [secretOf(undefined)];
  if (secrets.includes("")) throw usage("--secret is empty. Is its variable set?");
  const age = text["max-age"];
  const maxAgeSeconds = age && wholeNumber("max-age", age, 1, YEAR_SECONDS);
  const body = await readBytes(file);
  try {
    const event = verifyWebhook({
      body,
      signature,
      secret: secrets,
      ...(maxAgeSeconds && { maxAgeSeconds }),
    });
    const { event: kind, timestamp } = event;
    result(json, { genuine: true, bytes: body.length, event }, () =>
      [
        paint("green", "Genuine."),
        columns([
          ["event", kind],
          ["timestamp", timestamp],
          ["bytes", String(body.length)],
        ]),
      ].join("\n"),
    );
    return EXIT.ok;
  } catch (error) {
    if (!isGatewayError(error) || !("status" in error)) throw error;
    const code = error.code as WebhookErrorCode;
    const why = EXPLANATIONS[code]({ body, signature, secrets }, error.message);
    const { status } = error;
    result(json, { genuine: false, bytes: body.length, code, why, status }, () =>
      [
        paint("red", code === "payload_invalid" ? "Genuine, but no event." : "Not genuine."),
        columns([
          ["code", code],
          ["why", why],
          ["answer it", `with ${status}`],
          ["bytes", String(body.length)],
        ]),
      ].join("\n"),
    );
    return EXIT.failed;
  }
}

const HEX = "It takes 64 hex digits, as the header X-Service-Signature holds them";

/** Why, by the code of the error. */
const EXPLANATIONS: Readonly<
  Record<WebhookErrorCode, (checked: Checked, message: string) => string>
> = {
  signature_missing: () => `There is no signature. ${HEX}.`,
  signature_malformed: ({ signature }) => {
    const isBase64 = /^[A-Za-z0-9+/]{43}=$/.test(signature);
    return isBase64
      ? `The signature is base64. ${HEX}.`
      : `The signature has ${signature.length} characters. ${HEX}.`;
  },
  signature_mismatch: ({ body, signature, secrets }) => {
    const digits = signature
      .trim()
      .replace(/^sha256=/i, "")
      .toLowerCase();
    return (
      whyMismatch(body, secrets, digits) ??
      (body.length === 0
        ? "The body is empty: was it read before?"
        : "Another secret signed it, or the body was changed. None of the usual accidents (line ends, byte order marks, JSON written anew, white space around the secret) explains it.")
    );
  },
  timestamp_out_of_range: (_, message) =>
    `${message} The signature is genuine: this may be a replay, a late retry (they keep the first timestamp), or a wrong clock here.`,
  payload_invalid: ({ body }) => whyNoEvent(body),
  body_not_raw: (_, message) => message,
};
