import type { ServerContext } from "../http/respond.ts";
import type { State } from "../state/stored.ts";

const LISTS = ["payments", "deliveries", "requests"] as const;

export type ListName = (typeof LISTS)[number];

/** A list has a field for its page, for what it is limited to, and for what is searched in it. */
const FIELDS = [
  ...(["phone", "payment", "delivery", "request", "flash"] as const),
  ...LISTS.flatMap((name) => [name, `${name}-only`, `${name}-find`] as const),
];

type ViewField = (typeof FIELDS)[number];

/** What the page shows: which phone, which entries are open, which part of a list. All in the address. */
export type View = Readonly<Record<ViewField, string>>;

/** The message of an action, shown on the page that the browser is sent to after it. */
export interface FlashMessage {
  readonly text: string;
  /** The form that was rejected. Two of the page may have the same action, in different places. */
  readonly rejected?: {
    readonly action: string;
    readonly at: string;
    readonly fields: URLSearchParams;
  };
}

/** What a page is rendered from. */
export interface PageContext {
  readonly server: ServerContext;
  readonly state: State;
  readonly view: View;
  /** The address of the service, as the browser reached the sandbox. */
  readonly baseUrl: string;
  /** The message of the last action. */
  readonly flash: FlashMessage | undefined;
}

const MAX_CHARACTERS = 60;

/** The view that an address asks for. */
export const viewIn = (query: URLSearchParams): View =>
  Object.fromEntries(
    FIELDS.map((name) => [name, (query.get(name) ?? "").trim().slice(0, MAX_CHARACTERS)]),
  ) as View;

/** The query of a view's address, without empty fields. */
export function queryOf({ flash: _, ...lasting }: View): string {
  return new URLSearchParams(
    Object.entries(lasting).filter(([, value]) => value !== ""),
  ).toString();
}

/** The address of a view with a change. */
export const linkTo = (view: View, change: Partial<View>, anchor = ""): string =>
  `/?${queryOf({ ...view, ...change })}${anchor && `#${anchor}`}`;
