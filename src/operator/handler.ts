import { ConfigurationError } from "../errors/configuration.ts";
import { checkFunction, describeValue, ownOptions } from "../internal/check-options.ts";
import { pageHeaders } from "../sandbox/http/respond.ts";
import { LIMIT, LISTS, type Sources } from "./lists.ts";
import { overview, renderOperatorPage, story } from "./view.ts";

// The bundled stylesheet: see scripts/page-assets.ts.
declare const OPERATOR_STYLE: string;

/** Options of {@link operatorHandler}. */
export interface OperatorHandlerOptions extends Sources {
  /**
   * Decides about each request, before anything is read. Return `true` for a person who may see
   * customers' payments; every other value leads to a 403. It is required.
   */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /**
   * Set it to `true` to get buttons that requeue, drop and resolve. Without it, the page changes nothing.
   *
   * @default false
   */
  readonly actions?: boolean | undefined;
}

const OPTIONS = ["receiver", "gateway", "authorize", "actions"];

const HEADERS = pageHeaders("style-src 'self'; img-src data:; form-action 'self'");

/** A form of the page has at most the ids of one list. */
export const MAX_FORM_BYTES: number = LIMIT * 100;

const respond = (status: number, type: "plain" | "html" | "css", body: string): Response =>
  new Response(body, {
    status,
    headers: { ...HEADERS, "content-type": `text/${type}; charset=utf-8` },
  });

const text = (status: number, body: string): Response => respond(status, "plain", `${body}\n`);

/** A form may name anything, such as what every object inherits. */
const own = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string) =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

/**
 * Whether a request that changes something comes from another site. Browsers say it in
 * `Sec-Fetch-Site`; older ones send only `Origin`
 * (https://developer.mozilla.org/en-US/docs/Web/Security/Attacks/CSRF#fetch_metadata). A request with
 * neither of them is rejected, too: no browser that is in use sends a form without both.
 */
function isCrossSite({ headers, url }: Pick<Request, "headers" | "url">): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return true;
  // Behind a proxy, the URL may have the address of the server behind it.
  return new URL(origin).host !== (headers.get("host") ?? new URL(url).host);
}

/**
 * A page that shows what waits for a person: events whose handler fails now, by error; dead letters,
 * conflicts and double payments; payments of unknown outcome; and the story of one payment. Mount it
 * on a route of your server, behind your login.
 *
 * @returns A handler of `Request` objects, for `GET` and `POST` on one path. It rejects only if `authorize` does.
 * @throws {ConfigurationError} without `authorize`, and for an unknown option.
 *
 * @example
 * ```ts
 * // Next: app/operator/route.ts
 * const handler = operatorHandler({ receiver, gateway, authorize: isOperator });
 * export const GET = handler;
 * export const POST = handler;
 * // Express
 * app.use("/operator", onNode(operatorHandler({ receiver, gateway, authorize: isOperator })));
 * ```
 */
export function operatorHandler(
  options: OperatorHandlerOptions,
): (request: Request) => Promise<Response> {
  const {
    authorize,
    actions = false,
    ...sources
  } = ownOptions(options, OPTIONS, "operatorHandler");
  checkFunction("authorize", authorize);
  for (const name of ["receiver", "gateway"] as const) {
    if (typeof sources[name] !== "object" || sources[name] === null) {
      throw new ConfigurationError(`\`${name}\` is missing; got ${describeValue(sources[name])}.`);
    }
  }

  const hasButtons = actions === true;

  async function show(url: URL, message?: string, status = 200): Promise<Response> {
    const reference = url.searchParams.get("payment");
    const content = reference ? story(sources, reference) : overview(sources, hasButtons);
    return respond(status, "html", renderOperatorPage(await content, hasButtons, message));
  }

  async function act(request: Request, url: URL): Promise<Response> {
    if (!hasButtons) return text(405, "This page changes nothing: `actions` is not set.");
    if (isCrossSite(request)) return text(403, "The form was not sent by this page.");
    if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES) {
      return text(413, "The form is too large.");
    }
    const form = new URLSearchParams((await request.text()).slice(0, MAX_FORM_BYTES));
    const [list = "", action = ""] = ["list", "action"].map((name) => form.get(name) ?? "");
    const ids = form.getAll("id");
    const [, run] = own(own(LISTS, list)?.actions, action) ?? [];
    if (run === undefined || ids.length === 0 || !ids.every(Boolean)) {
      return text(422, "There is no such action.");
    }
    try {
      await run(sources, ids);
    } catch (error) {
      return show(url, `Nothing was changed: ${(error as Error).message}`, 422);
    }
    // After a redirect, reloading the page does not act again.
    const location = `${url.pathname}?done=${encodeURIComponent(action)}#${list}`;
    return new Response(undefined, { status: 303, headers: { ...HEADERS, location } });
  }

  return async (request) => {
    if ((await authorize(request)) !== true) return text(403, "You may not see this page.");
    const url = new URL(request.url);
    if (url.searchParams.get("asset") === "style") return respond(200, "css", OPERATOR_STYLE);
    if (request.method === "POST") return act(request, url);
    if (request.method !== "GET") return text(405, "GET or POST only.");
    return show(url, DONE[url.searchParams.get("done") ?? ""]);
  };
}

const DONE: Readonly<Record<string, string | undefined>> = {
  requeue: "What you chose is processed again.",
  drop: "What you chose was taken off the list.",
  resolve: "The attempt is resolved.",
};
