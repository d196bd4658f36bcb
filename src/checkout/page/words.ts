// How the pay page writes amounts and times in the language of its customer.
import { withCommas } from "../books/day-summary.ts";
import type { ShownTexts } from "./languages/texts.ts";
import type { PageSettings } from "./page-options.ts";

/** What the texts of one request are filled with. */
export interface Words {
  readonly settings: PageSettings;
  readonly lang: string;
  readonly texts: ShownTexts;
}

/** What people call a currency whose code only banks use. */
const NAMES: Readonly<Record<string, string>> = { XOF: "FCFA", XAF: "FCFA" };
/** Currencies in which nobody writes cents. */
const WHOLE: readonly string[] = ["XOF", "XAF", "GNF", "RWF", "BIF", "DJF", "KMF", "UGX"];

/** `KES 1,500.00`, or `1 500,00 KES` and `5 000 FCFA` in a language that writes amounts so. No line breaks in it. */
export function moneyText(
  { texts }: Words,
  money: { readonly currency: string; readonly amount: string },
): string {
  const plain = withCommas(money);
  if (texts.numbers === "1,500.00") return plain.replaceAll(" ", "\u00a0");
  const [, currency = "", whole, cents = ""] = /^(\S+) ([\d,]+)\.(\d+)$/.exec(plain) ?? [];
  if (whole === undefined) return plain;
  const decimals = WHOLE.includes(currency) && Number(cents) === 0 ? "" : `,${cents}`;
  return `${whole.replaceAll(",", "\u202f")}${decimals}\u00a0${NAMES[currency] ?? currency}`;
}

const timeIn = (ms: number, { settings, texts }: Words, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(texts.locale, { timeZone: settings.timeZone, ...options }).format(ms);

/** A time of day. */
export const hourText = (ms: number, words: Words): string =>
  timeIn(ms, words, { hour: "2-digit", minute: "2-digit" });

/** A day and its time. */
export const timeText = (ms: number, words: Words): string =>
  timeIn(ms, words, { dateStyle: "medium", timeStyle: "short" });
