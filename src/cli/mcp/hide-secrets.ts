import { createRedactor } from "../../internal/redact.ts";

/** A key of any gateway, or a webhook secret. Rather too much is hidden: `task_1` loses its end, too. */
const SECRET = /(?:sk|pk|sb|whsec)_[\w.~+/=-]+/g;
/** A PIN in a text, in a form or in JSON, also in JSON inside of JSON. */
const PIN = /(pin[\\"':=\s]{1,20})\d{1,12}/gi;

/** Hides keys, webhook secrets and PINs in a text. @param known - Secrets that may have any form. */
export function hideSecrets(text: string, known: readonly string[]): string {
  const hidden = known.reduce((rest, secret) => createRedactor(secret).text(rest), text);
  return hidden.replace(SECRET, "[hidden]").replace(PIN, "$1[hidden]");
}
