import { signWebhook } from "../../webhooks/verification/signature.ts";
import { JOINED_WITH_TIME, timesIn } from "./signed-with-time.ts";

// A signature that does not match does not say why. The usual causes can be tried one by one: if
// the signature matches after the change is undone, the cause is found.

/**
 * What may have happened to a body or a secret, and the text as the sender had it. Throws if that is
 * not possible here.
 */
type Cause = readonly [message: string, undo: (text: string) => string];

/** `{"a": [1, 2]}`, as Python writes it. Recursive: throws a RangeError for a very deep value. */
function writeWithSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeWithSpaces).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${writeWithSpaces(field)}`,
  );
  return `{${fields.join(", ")}}`;
}

const escapeNonAscii = (json: string) =>
  json.replace(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** How the usual JSON libraries of JavaScript, Python and PHP serialise a value. */
const JSON_WRITERS: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => escapeNonAscii(JSON.stringify(value)),
  (value) => escapeNonAscii(JSON.stringify(value)).replaceAll("/", "\\/"),
  writeWithSpaces,
  (value) => escapeNonAscii(writeWithSpaces(value)),
];

const BOM = "\uFEFF";

const BODY_CAUSES: readonly Cause[] = [
  [
    "The body ends with a line break that was not signed: an editor, `echo` or a here-document added it.",
    (text) => text.replace(/\r?\n$/, ""),
  ],
  [
    "The body was signed with a line break at its end, which is missing now.",
    (text) => `${text}\n`,
  ],
  ["The body begins with a byte order mark that was not signed.", (text) => text.replace(BOM, "")],
  ["The body was signed with a byte order mark, which is missing now.", (text) => BOM + text],
  [
    "The line endings of the body were changed from LF to CRLF.",
    (text) => text.replaceAll("\r\n", "\n"),
  ],
  [
    "The line endings of the body were changed from CRLF to LF.",
    (text) => text.replace(/(?<!\r)\n/g, "\r\n"),
  ],
  ...JSON_WRITERS.map(
    (write): Cause => [
      "The body was parsed and re-serialised after signing. Pass the raw bytes, before any JSON parser.",
      (text) => write(JSON.parse(text.replace(BOM, ""))),
    ],
  ),
];

const SECRET_CAUSES: readonly Cause[] = [
  [
    "The secret has white space around it that does not belong to it. Remove it.",
    (secret) => secret.trim(),
  ],
  [
    "The sender's secret has a line break at its end: the sender reads a file and does not trim it.",
    (secret) => `${secret}\n`,
  ],
  [
    "The sender signs with the secret without its prefix. The secret must be used exactly as given.",
    (secret) => secret.replace(/^whsec_/, ""),
  ],
  [
    "The secret has quotes around it that do not belong to it. Remove them.",
    (secret) => secret.replace(/^(["'])(.*)\1$/, "$2"),
  ],
];

/** A body or a secret as the sender may have had it. */
interface Candidate<Content> {
  readonly content: Content;
  /** What happened to it; `undefined` for the one that was given. */
  readonly message?: string;
}

/** The candidates of the causes that are possible. */
const candidatesFrom = (given: string, causes: readonly Cause[]): Candidate<string>[] =>
  causes.flatMap(([message, undo]) => {
    try {
      const content = undo(given);
      return content === given ? [] : [{ message, content }];
    } catch {
      // The body is not JSON, so it was not re-serialised.
      return [];
    }
  });

/**
 * What happened to the body or the secret; `undefined` if none of the usual causes explains the
 * signature.
 *
 * @param digits - The signature: 64 lowercase hex digits.
 * @param headers - Other headers of the delivery, `Name: value`: one of them may hold a signed time.
 */
export function explainMismatch(
  body: Buffer,
  secrets: readonly string[],
  digits: string,
  headers: readonly string[] = [],
): string | undefined {
  const bodies: Candidate<string | Buffer>[] = [
    { content: body },
    ...candidatesFrom(body.toString("utf8"), BODY_CAUSES),
  ];
  const given = secrets.map((content): Candidate<string> => ({ content }));
  const changed = secrets.flatMap((secret) => candidatesFrom(secret, SECRET_CAUSES));
  // Every secret is tried as it was given before any is changed.
  for (const secret of [...given, ...changed]) {
    if (secret.content === "") continue;
    const found = bodies.find(({ content }) => signWebhook(content, secret.content) === digits);
    if (found !== undefined) return [secret.message, found.message].filter(Boolean).join(" ");
  }
  return explainTime(body, secrets, digits, headers);
}

/** Whether a time was signed with the body. */
function explainTime(
  body: Buffer,
  secrets: readonly string[],
  digits: string,
  headers: readonly string[],
): string | undefined {
  for (const { time, place } of timesIn(headers, body)) {
    for (const [form, join] of JOINED_WITH_TIME) {
      const signed = join(time, body);
      if (!secrets.some((secret) => secret !== "" && signWebhook(signed, secret) === digits)) {
        continue;
      }
      return `The secret is right, and the sender signs more than the body: ${form}, with the time ${place}. malipo verifies a signature of only the body. Check that this is the service of your \`baseUrl\`, and ask it what it signs.`;
    }
  }
  return undefined;
}
