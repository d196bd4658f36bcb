import type { StepRow } from "./step.ts";

const LISTS = ["/payments", "/invoices", "/webhooks", "/merchant/payment-accounts"] as const;

/** Usual names of the parameter that sets the length of a page, after the one that a response shows. */
const SIZE_NAMES = [
  ...["{shownSize}", "per_page", "limit", "page_size", "pageSize", "perPage", "size", "count"],
  "page[size]",
];

/** Usual names of the parameter that asks for another page. */
const POSITION_NAMES = [
  ...["{shownPage}", "page", "offset", "skip", "p", "pageNumber", "page[number]"],
];

const CURSOR_NAMES = ["cursor", "after", "page_token"];

/** Asked until the service accepts one. */
const LONG_PAGES = ["1000", "500", "200", "100", "50"];

type Question = Pick<StepRow, "query" | "asks" | "provides" | "learns">;

const positions = (names: readonly string[], value: string, learns: string): Question[] =>
  names.map((name) => ({ query: { "{pageSize}": "1", [name]: value }, asks: "position", learns }));

// Asked of every list, until its responses tell which parameters have an effect.
const QUESTIONS: readonly Question[] = [
  {
    query: {},
    provides: ["shownSize", "shownPage", "firstItem", "cursor"],
    learns: "the page that the others are compared with",
  },
  ...SIZE_NAMES.map((name) => ({
    query: { [name]: "1" },
    asks: "size" as const,
    provides: ["cursor" as const],
    learns: "a page of one item",
  })),
  ...positions(CURSOR_NAMES, "{cursor}", "the next page, by cursor"),
  ...positions(["starting_after"], "{firstItem}", "what follows an item"),
  ...LONG_PAGES.map((length) => ({
    query: { "{pageSize}": length },
    asks: "longest" as const,
    learns: "the longest page",
  })),
  { query: { page: "1" }, learns: "the number of the first page" },
  ...positions(POSITION_NAMES, "2", "another page"),
  { query: { page: "2" }, asks: "position", learns: "the second page" },
];

/** How each list is paged. */
export const PAGING: readonly StepRow[] = LISTS.flatMap((path) =>
  QUESTIONS.map((question) => ({ method: "GET", path, reads: path, ...question })),
);
