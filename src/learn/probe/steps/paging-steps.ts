import type { ListPath, Step } from "./step.ts";

const LISTS: readonly ListPath[] = [
  "/merchant/payment-accounts",
  "/payments",
  "/webhooks",
  "/invoices",
];

interface Question {
  readonly query: Readonly<Record<string, string>>;
  readonly learns: string;
}

/** The usual names of the parameter that sets the length of a page. */
const SIZE_NAMES = ["per_page", "limit", "page_size", "pageSize", "size"];

/** Asked until the service accepts one. */
const LONG_PAGES = ["1000", "500", "200", "100", "50"];

// Asked of every list. Only its own responses tell which parameter has an effect.
const QUESTIONS: readonly Question[] = [
  { query: {}, learns: "the page that the others are compared with" },
  ...SIZE_NAMES.map((name) => ({ query: { [name]: "1" }, learns: "a page of one item" })),
  ...LONG_PAGES.map((length) => ({ query: { "{pageSize}": length }, learns: "the longest page" })),
  { query: { page: "1" }, learns: "the number of the first page" },
  { query: { page: "2" }, learns: "the second page" },
  { query: { "{pageSize}": "1", page: "2" }, learns: "the second item, by page" },
  { query: { offset: "1" }, learns: "the second item, by offset" },
  { query: { cursor: "{cursor}" }, learns: "the next page, by cursor" },
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
