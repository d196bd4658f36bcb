import { wrongOption } from "../../internal/check-options.ts";
import { ENGLISH } from "./languages/english.ts";
import { FRENCH } from "./languages/french.ts";
import { SWAHILI } from "./languages/swahili.ts";
import type { PayPageMessages, ShownTexts } from "./languages/texts.ts";

/** All languages, by their code. What a language lacks is English. @throws {ConfigurationError} */
export function textsOf(own: PayPageMessages = {}): ReadonlyMap<string, ShownTexts> {
  const languages = new Map<string, ShownTexts>([
    ["en", ENGLISH],
    ["sw", SWAHILI],
    ["fr", FRENCH],
  ]);
  for (const [code, changed] of Object.entries(own)) {
    const base = languages.get(code) ?? ENGLISH;
    const reasons = { ...base.reasons, ...changed.reasons };
    const texts = { ...base, ...changed, reasons };
    languages.set(code, { ...texts, locale: checkLocale(code, texts.locale) });
  }
  return languages;
}

/** @throws {ConfigurationError} */
function checkLocale(code: string, locale: string): string {
  try {
    Intl.DateTimeFormat.supportedLocalesOf(locale);
    return locale;
  } catch {
    throw wrongOption(`messages.${code}.locale`, "a BCP 47 tag such as pt-MZ", locale);
  }
}

/** The language of a request: the one that was chosen, else the first one that the browser asks for. */
export function languageOf(
  chosen: string | null,
  accepted: string | null,
  known: ReadonlyMap<string, unknown>,
): string {
  if (chosen !== null && known.has(chosen)) return chosen;
  const wanted = (accepted ?? "")
    .split(",")
    .map((one) => {
      const [tag = "", quality = "q=1"] = one
        .toLowerCase()
        .split(";")
        .map((part) => part.trim());
      return { code: tag.split("-")[0] ?? "", weight: Number(quality.slice(2)) || 0 };
    })
    .filter(({ code, weight }) => weight > 0 && known.has(code))
    .sort((a, b) => b.weight - a.weight);
  return wanted[0]?.code ?? "en";
}
