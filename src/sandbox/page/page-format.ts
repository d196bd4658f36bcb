import { formatTimestamp } from "../clock.ts";

const DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** `KES 1,500.00`. */
export const money = (cents: number, currency: string): string =>
  `${currency} ${(cents / 100).toLocaleString("en", DECIMALS)}`;

/** `09:00:12`, in the sandbox's time zone. */
export const timeOf = (ms: number): string => formatTimestamp(ms).slice(11, 19);

const DATE = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Africa/Nairobi",
  weekday: "short",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** `Thu 1 January 2026`, in the sandbox's time zone. */
export const dateOf = (ms: number): string => DATE.format(ms).replace(",", "");

/** Text that may be long, cut to fit one line. */
export const clipped = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** Text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request to send again. */
interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Each one as a word of a shell. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
}

/** A request as a command for a shell. */
export function curl({ method, url, headers, body = "" }: CurlRequest): string {
  const isDefault = method === (body === "" ? "GET" : "POST");
  return [
    `curl -s${isDefault ? "" : ` -X ${method}`} ${/^[\w:/.-]+$/.test(url) ? url : quoted(url)}`,
    ...headers.map((header) => `-H ${header}`),
    ...(body === "" ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** The key comes from the environment: no page that is shared shows one. */
export const KEY_HEADER = '"X-API-Key: $MALIPO_API_KEY"';

/**
 * JSON with a line for each value. Only blanks are added: an amount of `100.00` must not become `100`. Another text
 * stays as it is.
 */
export function indented(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let written = "";
  let depth = 0;
  let inString: "no" | "yes" | "after a backslash" = "no";
  for (const char of text) {
    if (inString !== "no") {
      written += char;
      if (inString === "after a backslash") inString = "yes";
      else if (char === "\\") inString = "after a backslash";
      else if (char === '"') inString = "no";
    } else if (char.trim() !== "") {
      const isEnd = char === "}" || char === "]";
      if (isEnd) depth--;
      // An empty object stays on its line.
      const isFirst = "{[".includes(written.at(-1) ?? "-");
      if (isFirst !== isEnd || written.endsWith(",")) written += `\n${"  ".repeat(depth)}`;
      written += char === ":" ? ": " : char;
      if (char === "{" || char === "[") depth++;
      if (char === '"') inString = "yes";
    }
  }
  return written;
}
