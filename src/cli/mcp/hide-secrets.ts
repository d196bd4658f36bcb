import { createRedactor } from "../../internal/redact.ts";

/** A key of any gateway, or a webhook secret. A letter before it may be the end of `%3A`. */
const SECRET = /(?:(?<![a-z])|(?<=%[\da-fA-F]{2}))(?:sk|pk|sb|whsec)_[\w.~+/=-]+/g;
/** A PIN in a form or in JSON, also in JSON inside of JSON. */
const PIN = /(pin[\\"']{0,8}\s{0,4}[:=]\s{0,4}[\\"']{0,8})\d{1,12}/gi;

/** Hides keys, webhook secrets and PINs in a text. @param known - Secrets that may have any form. */
export function hideSecrets(text: string, known: readonly string[]): string {
  const hidden = known.reduce((rest, secret) => createRedactor(secret).text(rest), text);
  return hidden.replace(SECRET, "[hidden]").replace(PIN, "$1[hidden]");
}
