/**
 * The countries whose people pay by phone: code (ISO 3166-1), calling code, currency of the mobile money, and the
 * number of a mobile phone as it is written inside the country. How its numbers are read is in `src/phones`.
 */
const ROWS = [
  ["KE", "254", "KES", "0712 345 678"],
  ["TZ", "255", "TZS", "0712 345 678"],
  ["UG", "256", "UGX", "0772 345 678"],
  ["RW", "250", "RWF", "0788 123 456"],
  ["BI", "257", "BIF", "79 56 12 34"],
  ["ET", "251", "ETB", "0911 234 567"],
  ["SS", "211", "SSP", "0977 123 456"],
  ["ZM", "260", "ZMW", "0955 123 456"],
  ["MW", "265", "MWK", "0991 234 567"],
  ["MZ", "258", "MZN", "82 123 4567"],
  ["MG", "261", "MGA", "032 12 345 67"],
  ["CD", "243", "CDF", "0991 234 567"],
  ["GH", "233", "GHS", "024 123 4567"],
  ["NG", "234", "NGN", "0802 123 4567"],
  ["SL", "232", "SLE", "076 123 456"],
  ["GN", "224", "GNF", "601 12 34 56"],
  ["GM", "220", "GMD", "301 2345"],
  ["LR", "231", "LRD", "077 012 3456"],
  ["LS", "266", "LSL", "5012 3456"],
  ["SZ", "268", "SZL", "7612 3456"],
  ["BW", "267", "BWP", "71 123 456"],
  ["ZA", "27", "ZAR", "071 123 4567"],
  ["ZW", "263", "ZWG", "0712 345 678"],
  ["AO", "244", "AOA", "923 123 456"],
  ["SO", "252", "SOS", "061 234 5678"],
  ["EG", "20", "EGP", "0100 123 4567"],
  ["SN", "221", "XOF", "70 123 45 67"],
  ["ML", "223", "XOF", "65 01 23 45"],
  ["CI", "225", "XOF", "01 23 45 67 89"],
  ["BF", "226", "XOF", "70 12 34 56"],
  ["NE", "227", "XOF", "93 12 34 56"],
  ["TG", "228", "XOF", "90 11 23 45"],
  ["BJ", "229", "XOF", "01 95 12 34 56"],
  ["GW", "245", "XOF", "955 012 345"],
  ["TD", "235", "XAF", "63 01 23 45"],
  ["CF", "236", "XAF", "70 01 23 45"],
  ["CM", "237", "XAF", "671 23 45 67"],
  ["CG", "242", "XAF", "06 123 4567"],
  ["GA", "241", "XAF", "062 12 34 56"],
  ["GQ", "240", "XAF", "222 123 456"],
] as const;

/** The code of a country (ISO 3166-1): `"KE"`, `"UG"`. */
export type CountryCode = (typeof ROWS)[number][0];

/** A country whose people pay by phone. */
export interface Country {
  /** `"KE"` (ISO 3166-1). */
  readonly iso: CountryCode;
  /** The calling code, without a plus sign. */
  readonly code: string;
  /** The currency of its mobile money. */
  readonly currency: string;
  /** The number of a mobile phone, as it is written inside the country. */
  readonly example: string;
}

/** By their code. */
const COUNTRIES: ReadonlyMap<string, Country> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ ROWS.map(([iso, code, currency, example]) => [
    iso,
    { iso, code, currency, example },
  ]),
);

/** The country with a code; `undefined` for one that the table does not have. */
export const countryWith = (iso: string | undefined): Country | undefined =>
  COUNTRIES.get(iso ?? "");

/** The codes of all countries of the table. */
export const countryCodes = (): CountryCode[] => ROWS.map(([iso]) => iso);

/** The country with a currency; `undefined` if several countries have it, or none of the table. */
export function countryOfCurrency(currency: string): Country | undefined {
  const [only, ...others] = ROWS.filter((row) => row[2] === currency.toUpperCase());
  return others.length === 0 ? countryWith(only?.[0]) : undefined;
}

/** The country whose calling code these digits begin with. No calling code is the beginning of another one. */
export function countryByPrefix(digits: string): Country | undefined {
  const row = ROWS.find(([, code]) => digits.startsWith(code));
  return countryWith(row?.[0]);
}
