import { signWebhook } from "../../webhooks/verification/signature.ts";

// A signature that does not match says nothing by itself. The usual accidents can be tried, one by
// one: the one under which it does match is what happened.

interface Accident<Subject> {
  /** `undefined` for no accident at all. */
  readonly said: string | undefined;
  /** What was signed, or signed with; `undefined` where this accident cannot have happened here. */
  readonly undo: (subject: Subject) => Subject | string | undefined;
}

const BOM = "\uFEFF";

const spaced = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`,
  );
  return `{${fields.join(", ")}}`;
};

const escaped = (json: string) =>
  json.replace(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** How JSON libraries write: the usual ones of JavaScript, Python and PHP. */
const WRITERS: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => escaped(JSON.stringify(value)),
  (value) => escaped(JSON.stringify(value)).replaceAll("/", "\\/"),
  spaced,
  (value) => escaped(spaced(value)),
];

const REWRITTEN =
  "The body was parsed and written anew on its way: keep the bytes as they came, before any JSON parser.";

const onText =
  (change: (text: string) => string) =>
  (body: Buffer): string =>
    change(body.toString("utf8"));

const OF_THE_BODY: readonly Accident<Buffer>[] = [
  { said: undefined, undo: (body) => body },
  {
    said: "The body ends with a line end that was not signed: an editor, `echo` or a here-document put it there.",
    undo: onText((text) => text.replace(/\r?\n$/, "")),
  },
  {
    said: "The body has lost a line end at its close that was signed.",
    undo: onText((text) => `${text}\n`),
  },
  {
    said: "The body begins with a byte order mark that was not signed.",
    undo: onText((text) => text.replace(BOM, "")),
  },
  {
    said: "The body has lost a byte order mark that was signed.",
    undo: onText((text) => BOM + text),
  },
  {
    said: "The line ends of the body were changed from LF to CRLF.",
    undo: onText((text) => text.replaceAll("\r\n", "\n")),
  },
  {
    said: "The line ends of the body were changed from CRLF to LF.",
    undo: onText((text) => text.replace(/(?<!\r)\n/g, "\r\n")),
  },
  ...WRITERS.map((write) => ({
    said: REWRITTEN,
    undo: onText((text) => write(JSON.parse(text.replace(BOM, "")))),
  })),
];

const OF_THE_SECRET: readonly Accident<string>[] = [
  { said: undefined, undo: (secret) => secret },
  {
    said: "The secret has white space around it that does not belong to it: trim it.",
    undo: (secret) => secret.trim(),
  },
  {
    said: "The sender's secret has a line end after it: it reads a file and does not trim.",
    undo: (secret) => `${secret}\n`,
  },
  {
    said: "The sender signs with the secret less its prefix. It is to be used exactly as given.",
    undo: (secret) => secret.replace(/^whsec_/, ""),
  },
  {
    said: "The secret has quotes around it that do not belong to it.",
    undo: (secret) => secret.replace(/^(["'])(.*)\1$/, "$2"),
  },
];

function undone<Subject>(
  { undo }: Accident<Subject>,
  subject: Subject,
): Subject | string | undefined {
  try {
    return undo(subject);
  } catch {
    // No JSON: this accident cannot have happened.
    return undefined;
  }
}

/** What happened to body or secret, where one of the usual accidents explains the signature. */
export function whyMismatch(
  body: Buffer,
  secrets: readonly string[],
  digits: string,
): string | undefined {
  const bodies = OF_THE_BODY.map((one) => [one.said, undone(one, body)] as const);
  for (const [index, accident] of OF_THE_SECRET.entries()) {
    for (const given of secrets) {
      const secret = undone(accident, given);
      if (!secret || (index > 0 && secret === given)) continue;
      const found = bodies.find(
        ([, content]) => content !== undefined && signWebhook(content, secret) === digits,
      );
      if (found !== undefined) return [accident.said, found[0]].filter(Boolean).join(" ");
    }
  }
  return undefined;
}
