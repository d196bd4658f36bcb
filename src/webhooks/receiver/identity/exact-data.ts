import type { WebhookEvent } from "../../../contract/events.ts";

// Cheap, for every body. It also finds some texts, which costs only time.
const MAY_HAVE_ROUNDED_NUMBER = /[[:,\s]-?(?:[\d.]{16}|[\d.]+e)/i;

const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.]*(?:e[+-]?\d+)?/gi;

/** Every number of at most 15 digits that is neither huge nor tiny survives a parser. */
function isRounded(token: string): boolean {
  if (token === '"' || token.startsWith("\\")) return false;
  const [mantissa = ""] = token.toLowerCase().split("e");
  if (mantissa.replace(/[-.]/g, "").length > 15) return true;
  if (!/[1-9]/.test(mantissa)) return false;
  const size = Math.abs(Number(token));
  return size < 1e-290 || size > 1e300;
}

/**
 * The data of an event for its digest. A parser rounds numbers past 2^53, so that two amounts or ids
 * become one: here such numbers stay as they are in the text of the body.
 */
export function exactData({ data }: WebhookEvent, text: string): unknown {
  if (!MAY_HAVE_ROUNDED_NUMBER.test(text)) return data;
  let isInText = false;
  const exact = text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
    if (token === '"') isInText = !isInText;
    return isInText || !isRounded(token) ? token : `{"\\u0000":"${token}"}`;
  });
  return (JSON.parse(exact) as WebhookEvent).data;
}
