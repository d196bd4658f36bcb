import type { ListPath, Step } from "./step.ts";

const LISTS: readonly ListPath[] = [
  "/payments",
  "/invoices",
  "/webhooks",
  "/merchant/payment-accounts",
];

interface Question {
  readonly query: Readonly<Record<string, string>>;
  readonly learns: string;
}

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

// Asked of every list, until its responses tell which parameters have an effect.
const QUESTIONS: readonly Question[] = [
  { query: {}, learns: "the page that the others are compared with" },
  ...SIZE_NAMES.map((name) => ({ query: { [name]: "1" }, learns: "a page of one item" })),
  ...LONG_PAGES.map((length) => ({ query: { "{pageSize}": length }, learns: "the longest page" })),
  { query: { page: "1" }, learns: "the number of the first page" },
  ...CURSOR_NAMES.map((name) => ({
    query: { "{pageSize}": "1", [name]: "{cursor}" },
    learns: "the next page, by cursor",
  })),
  { query: { "{pageSize}": "1", starting_after: "{firstItem}" }, learns: "what follows an item" },
  ...POSITION_NAMES.map((name) => ({
    query: { "{pageSize}": "1", [name]: "2" },
    learns: "another page",
  })),
  { query: { page: "2" }, learns: "the second page" },
];

/** How each list is paged. */
export const PAGING_STEPS: readonly Step[] = LISTS.flatMap((path) =>
  QUESTIONS.map(({ query, learns }) => ({
    part: "paging",
    method: "GET",
    path,
    query,
    key: "own",
    reads: path,
    learns,
  })),
);
