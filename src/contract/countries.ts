/** A country whose people pay by phone. */
interface Country {
  /** The calling code, without a plus sign. */
  readonly code: string;
  /** The currency of its mobile money. */
  readonly currency: string;
  /** The number of a mobile phone, as it is written inside the country. */
  readonly example: string;
  /** How many digits follow the calling code. */
  readonly digits: number;
  /** What a number begins with inside the country, and nowhere else: `"0"` or nothing. */
  readonly trunk: string;
  /** Whether a zero at the beginning is a part of the number. */
  readonly keepsZero: boolean;
}

/**
 * Calling code, currency, a number as it is written inside the country, and, if its first zero is a part of the number
 * abroad too, that zero. As the numbering plans at the ITU say it (E.164). A number of two lengths has no row.
 */
const ROWS: readonly (readonly [code: string, currency: string, example: string, zero?: "0"])[] = [
  ["254", "KES", "0712 345 678"],
  ["255", "TZS", "0712 345 678"],
  ["256", "UGX", "0772 345 678"],
  ["250", "RWF", "0788 123 456"],
  ["257", "BIF", "79 56 12 34"],
  ["251", "ETB", "0911 234 567"],
  ["211", "SSP", "0977 123 456"],
  ["260", "ZMW", "0955 123 456"],
  ["265", "MWK", "0991 234 567"],
  ["258", "MZN", "82 123 4567"],
  ["261", "MGA", "032 12 345 67"],
  ["243", "CDF", "0991 234 567"],
  ["233", "GHS", "024 123 4567"],
  ["234", "NGN", "0802 123 4567"],
  ["232", "SLE", "076 123 456"],
  ["224", "GNF", "601 12 34 56"],
  ["220", "GMD", "301 2345"],
  ["266", "LSL", "5012 3456"],
  ["268", "SZL", "7612 3456"],
  ["267", "BWP", "7112 3456"],
  ["20", "EGP", "0100 123 4567"],
  ["221", "XOF", "70 123 45 67"],
  ["223", "XOF", "65 01 23 45"],
  ["225", "XOF", "01 23 45 67 89", "0"],
  ["226", "XOF", "70 12 34 56", "0"],
  ["227", "XOF", "93 12 34 56"],
  ["228", "XOF", "90 11 23 45"],
  ["229", "XOF", "01 95 12 34 56", "0"],
  ["235", "XAF", "63 01 23 45"],
  ["236", "XAF", "70 01 23 45"],
  ["237", "XAF", "671 23 45 67"],
  ["242", "XAF", "06 123 4567", "0"],
];

const countryOf = ([code, currency, example, zero]: (typeof ROWS)[number]): Country => {
  const trunk = zero === undefined && example.startsWith("0") ? "0" : "";
  const digits = example.replaceAll(" ", "").length - trunk.length;
  return { code, currency, example, digits, trunk, keepsZero: zero !== undefined };
};

/** By their calling code. */
const COUNTRIES: ReadonlyMap<string, Country> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ ROWS.map((row) => [row[0], countryOf(row)]),
);

/** The country with a calling code; `undefined` for one that the table does not have. */
export const countryWith = (code: string | undefined): Country | undefined =>
  COUNTRIES.get(code ?? "");

/** All calling codes of the table. */
export const callingCodes = (): string[] => [...COUNTRIES.keys()];

/** The calling code of the country with a currency; `undefined` if several countries have it, or none of the table. */
export function callingCodeOf(currency: string): string | undefined {
  const [only, ...others] = ROWS.filter((row) => row[1] === currency.toUpperCase());
  return others.length === 0 ? only?.[0] : undefined;
}

/** The country whose calling code these digits begin with. No calling code is the beginning of another one. */
export const countryByPrefix = (digits: string): Country | undefined =>
  COUNTRIES.get(digits.slice(0, 3)) ?? COUNTRIES.get(digits.slice(0, 2));

/** The country whose number these digits are, by its calling code and its length. */
export function countryOfNumber(digits: string): Country | undefined {
  const country = countryByPrefix(digits);
  const length = country && country.code.length + country.digits;
  return length === digits.length ? country : undefined;
}
