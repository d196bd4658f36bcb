import type { Checkout } from "../checkout/checkout-options.ts";
import type { Gateway } from "../client/gateway.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { isCrossSite, pageHeaders } from "../html/serving.ts";
import {
  checkFunction,
  checkOptions,
  checkWholeNumber,
  describeValue,
  type OptionRows,
  wrongOption,
} from "../internal/check-options.ts";
import { readBody } from "../internal/read-body.ts";
import { HOUR_MS } from "../internal/units.ts";
import type { WebhookReceiver } from "../webhooks/receiver/webhook-receiver.ts";
import { staffMessage } from "./case-words.ts";
import { BegunError, type DecisionLog, Decisions, logFor } from "./decisions.ts";
import type { Sources } from "./entry.ts";
import { bodyOf } from "./item-view.ts";
import { type PageContext, renderOperatorPage } from "./operator-page.ts";
import { noteIn, REFUND, type RefundFields, refundIn } from "./refund-form.ts";
import { messageOf, timeWriter } from "./wording.ts";

// The bundled stylesheet: see scripts/page-assets.ts.
declare const OPERATOR_STYLE: string;

/**
 * Who may see the page: `true`, or the person with the name under which decisions are stored. Phones are masked, unless
 * `mayReadPhones` is `true`: then the page of a case shows a whole number when the person asks for it.
 */
export type OperatorAccess =
  | boolean
  | { readonly operator: string; readonly mayReadPhones?: boolean | undefined };

/** Options of {@link operatorHandler}. */
export interface OperatorHandlerOptions {
  /**
   * The client of the service: the page reads payments by it, and attempts of unknown outcome. It is required
   * without a checkout.
   *
   * @default the gateway of the checkout
   */
  readonly gateway?: Gateway | undefined;
  /**
   * The checkout whose orders, reviews and goods the page shows. Set it if you have a checkout.
   *
   * @default none: the page shows events and attempts only
   */
  readonly checkout?: Checkout | undefined;
  /**
   * The receiver whose stored events the page shows. It is required without a checkout.
   *
   * @default the receiver of the checkout
   */
  readonly receiver?: WebhookReceiver | undefined;
  /**
   * Decides about each request, before anything is read. Return `true` or `{ operator: "Amina" }` for a
   * person who may see customers' payments; every other value leads to a 403. The name is stored with what
   * the person decides. It is required.
   */
  readonly authorize: (request: Request) => OperatorAccess | Promise<OperatorAccess>;
  /**
   * Set it to `true` to let the page requeue, drop and resolve. Without it, the page changes nothing.
   *
   * @default false
   */
  readonly actions?: boolean | undefined;
  /**
   * The record of who decided what and when: the path of a file, which gets lines of JSON for all
   * processes of one machine; or your own log. Set it if you have no checkout.
   *
   * @default the store of the checkout, for all its processes. Without a checkout, in this process: a restart
   * forgets decisions, also those that are not done yet, and another process can neither show them nor take
   * them back
   */
  readonly decisions?: string | DecisionLog | undefined;
  /**
   * For how long a decision can be taken back before it is done, in milliseconds. 0 does it at once.
   *
   * @default 10_000
   */
  readonly takeBackMs?: number | undefined;
  /**
   * The zone of the times on the page, such as `"Africa/Nairobi"`.
   *
   * @default the zone of the server
   */
  readonly timeZone?: string | undefined;
}

const TAKE_BACK_MS = 10_000;
const MAX_TAKE_BACK_MS = HOUR_MS;

const HEADERS = pageHeaders("style-src 'self'; img-src data:; form-action 'self'");

/** For a person of whom `authorize` says no name. */
const NAMELESS =
  "A refund is noted under the name of a person: `authorize` must return { operator }.";

/** A form of the page names one decision. */
const MAX_FORM_BYTES = 50_000;

const respond = (status: number, type: "plain" | "html" | "css", body: string): Response =>
  new Response(body, {
    status,
    headers: { ...HEADERS, "content-type": `text/${type}; charset=utf-8` },
  });

const text = (status: number, body: string): Response => respond(status, "plain", `${body}\n`);

/** After a redirect, reloading the page does not act again. */
function seeOther(to: Readonly<Record<string, string>>): Response {
  // Without the path: one that begins with two slashes would be another server.
  const location = `?${new URLSearchParams(to)}`;
  return new Response(undefined, { status: 303, headers: { ...HEADERS, location } });
}

/** Everything that the page reads from. @throws {ConfigurationError} */
function sourcesOf(
  given: Pick<OperatorHandlerOptions, "gateway" | "checkout" | "receiver">,
): Sources {
  const { checkout, gateway = checkout?.gateway, receiver = checkout?.receiver } = given;
  for (const [name, value] of Object.entries({ gateway, receiver })) {
    if (typeof value === "object" && value !== null) continue;
    throw new ConfigurationError(`\`${name}\` is missing; got ${describeValue(value)}.`);
  }
  return { gateway: gateway as Gateway, checkout, receiver: receiver as WebhookReceiver };
}

function timeIn(timeZone: string | undefined) {
  try {
    return timeWriter(timeZone);
  } catch {
    throw wrongOption("timeZone", 'a time zone, such as "Africa/Nairobi"', timeZone);
  }
}

const OPTIONS = {
  /** {@link sourcesOf} checks it together with `checkout` and `receiver`. */
  gateway: (gateway) => gateway,
  checkout: (checkout) => checkout,
  receiver: (receiver) => receiver,
  authorize: (authorize) => checkFunction("authorize", authorize),
  actions: (actions = false) => actions,
  /** {@link logFor} checks it. */
  decisions: (decisions) => decisions,
  takeBackMs: (ms = TAKE_BACK_MS) => checkWholeNumber("takeBackMs", ms, 0, MAX_TAKE_BACK_MS),
  timeZone: timeIn,
} satisfies OptionRows<OperatorHandlerOptions>;

type Person = Pick<PageContext, "operator" | "mayReadPhones">;

/** What `authorize` said: who it is; `undefined` for a person who may not see the page. */
function personIn(access: unknown): Person | undefined {
  if (access === true) return { operator: undefined, mayReadPhones: false };
  const { operator, mayReadPhones } = Object(access) as Readonly<Record<string, unknown>>;
  if (typeof operator !== "string" || operator === "") return undefined;
  return { operator, mayReadPhones: mayReadPhones === true };
}

/**
 * A page that shows what waits for a person, money first: double payments, other amounts, late money,
 * unknown requests, goods that are due, failing events, conflicts and dead letters. Each opens beside its
 * list, with its story in order of time. Mount it on a route of your server, behind your login.
 *
 * @returns A handler of `Request` objects, for `GET` and `POST` on one path. It rejects only if `authorize` does.
 * @throws {ConfigurationError} without `authorize`, and for a wrong or an unknown option.
 *
 * @example
 * ```ts
 * // Next: app/operator/route.ts
 * const authorize = async (request: Request) => {
 *   const user = await userOf(request);
 *   return user?.isOperator === true && { operator: user.name };
 * };
 * const handler = operatorHandler({ checkout, authorize, actions: true });
 * export const GET = handler;
 * export const POST = handler;
 * // Express
 * app.use("/operator", nodeHandler(handler)); // from malipo/node
 * ```
 */
export function operatorHandler(
  options: OperatorHandlerOptions,
): (request: Request) => Promise<Response> {
  const own = checkOptions(options, OPTIONS, "operatorHandler");
  const { authorize, actions, takeBackMs, timeZone: time } = own;
  const sources = sourcesOf(own);
  const log = own.decisions ?? own.checkout?.decisions;
  const requests = new OperatorRequests(new Decisions(logFor(log), sources, takeBackMs), {
    ...{ sources, time, hasActions: actions === true },
    isKept: (own.decisions ?? own.checkout) !== undefined,
  });
  return async (request) => {
    const person = personIn(await authorize(request));
    if (person === undefined) return text(403, "You may not see this page.");
    try {
      return await requests.respond(request, person);
    } catch (error) {
      // Of an address that no page has linked to, or of a store that does not respond.
      if (error instanceof ConfigurationError) return text(400, messageOf(error));
      return text(500, `This page cannot be shown now: ${messageOf(error)}`);
    }
  };
}

/** Responds to the requests of persons who may see the page. */
class OperatorRequests {
  readonly #decisions: Decisions;
  readonly #context: Omit<PageContext, keyof Person | "now" | "typed">;

  constructor(decisions: Decisions, context: Omit<PageContext, keyof Person | "now" | "typed">) {
    this.#decisions = decisions;
    this.#context = context;
  }

  async respond(request: Request, person: Person): Promise<Response> {
    const url = new URL(request.url);
    if (url.searchParams.get("asset") === "style") return respond(200, "css", OPERATOR_STYLE);
    // What another process has planned, or this one before a restart.
    // If that fails, the page says so as it lists the decisions.
    await this.#decisions.runDue().catch(() => {});
    if (request.method === "POST") return this.#act(request, url, person);
    if (request.method !== "GET") return text(405, "GET or POST only.");
    if (url.searchParams.has("download")) return this.#download(url);
    return this.#show(url, person);
  }

  async #show(url: URL, person: Person, error?: string, typed?: RefundFields): Promise<Response> {
    const context = { ...this.#context, ...person, now: Date.now(), typed };
    let unreadable: string | undefined;
    const made = await this.#decisions.list().catch((cause): [] => {
      unreadable = `The decisions that were made cannot be read: ${messageOf(cause)}`;
      return [];
    });
    const problem = error ?? unreadable;
    const page = await renderOperatorPage(url.searchParams, made, context, problem);
    const status = error === undefined ? (unreadable === undefined ? 200 : 500) : 422;
    return respond(status, "html", page);
  }

  async #download({ searchParams }: URL): Promise<Response> {
    const [list = "", item = ""] = ["list", "item"].map((one) => searchParams.get(one) ?? "");
    const body = await bodyOf(this.#context.sources, { list, item }).catch(() => undefined);
    if (body === undefined) return text(404, "This event does not wait any more.");
    const response = respond(200, "plain", body);
    response.headers.set("content-disposition", 'attachment; filename="event.json"');
    return response;
  }

  async #act(request: Request, url: URL, person: Person): Promise<Response> {
    const { operator: by } = person;
    if (!this.#context.hasActions) {
      return text(405, "This page changes nothing: `actions` is not set.");
    }
    if (isCrossSite(request)) return text(403, "The form was not sent by this page.");
    const body = await readBody(request, MAX_FORM_BYTES);
    if (body === undefined) return text(413, "The form is too large.");
    const form = new URLSearchParams(body);
    const of = (name: string) => form.get(name) ?? undefined;
    const { list = "", action = "", decision = "" } = Object.fromEntries(form);
    const isRefund = list === REFUND.list && action === REFUND.action;
    const refund = isRefund ? refundIn(form) : undefined;
    try {
      if (action === "take_back") {
        if (await this.#decisions.takeBack(decision, by)) return seeOther({ done: decision });
        return this.#show(url, person, "It is too late to take this back.");
      }
      const target = {
        ...{ list, action, id: of("id"), group: of("group"), until: Number(of("until")) },
        ...(refund === undefined ? { note: noteIn(form) } : { refund }),
      };
      if (refund !== undefined && by === undefined) throw new Error(NAMELESS);
      const made = await this.#decisions.plan(target, by);
      if (made === undefined) return text(422, "There is no such action.");
      if (made.state === "failed") return this.#show(url, person, made.last.text, refund);
      return seeOther({
        ...(refund === undefined ? { list } : { order: of("id") ?? "" }),
        done: made.id,
      });
    } catch (error) {
      const message = staffMessage(error);
      const problem = error instanceof BegunError ? message : `Nothing was changed: ${message}`;
      return this.#show(url, person, problem, refund);
    }
  }
}
