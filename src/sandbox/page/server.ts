import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { commandContext } from "../control/command-context.ts";
import { type CommandName, isCommandName } from "../control/commands.ts";
import { forbiddenReason } from "../control/guard.ts";
import { pageHeaders } from "../http/page-headers.ts";
import { readBody } from "../http/read-body.ts";
import type { ServerContext } from "../http/server-context.ts";
import { formField, runAction } from "./actions.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { createEventStream } from "./event-stream.ts";
import { createFlashMessages, type FlashMessage, formKey } from "./flash.ts";
import { renderPage } from "./page.ts";
import { queryOf, type View, viewIn } from "./view.ts";

/** Responds to requests for the page: `/`, and everything below `/_sandbox/`. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A form has a few fields: no form of the page is larger. */
const MAX_FORM_BYTES = 65_536;

const PREFIX = "/_sandbox/";

const HEADERS = pageHeaders(
  "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'",
);

interface PageResponse {
  readonly status?: number;
  readonly type: "text/html" | "text/css" | "text/javascript" | "application/json";
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const jsonResponse = (status: number, value: unknown): PageResponse => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

const errorResponse = (status: number, error: string): PageResponse =>
  jsonResponse(status, { success: false, error });

/** The page's script asks for JSON; a browser that sends a form does not. */
const wantsJson = ({ headers }: IncomingMessage) => headers.accept === "application/json";

/** The handler of a served sandbox's page. */
export function createPage(server: ServerContext): PageHandler {
  const { log } = server;
  const events = createEventStream(server.sandboxState);
  const flashMessages = createFlashMessages();
  const context = commandContext(server);

  /** Back to the page by a GET, so that reloading it acts only once. */
  function redirect(view: View, anchor: string, message: FlashMessage): PageResponse {
    const flash = flashMessages.add(message);
    const query = new URLSearchParams(queryOf(view));
    query.set("flash", flash);
    const location = `/?${query}${anchor && `#${anchor}`}`;
    return { status: 303, type: "text/html", body: "", headers: { location } };
  }

  async function respondToForm(
    name: CommandName,
    form: URLSearchParams,
    asJson: boolean,
  ): Promise<PageResponse> {
    const before = viewIn(new URLSearchParams(formField(form, "back")));
    const anchor = formField(form, "at").replace(/[^\w-]/g, "");
    const rejected = { key: formKey(name, anchor), fields: form };
    try {
      const { message, view: change } = await runAction(name, context, form);
      const view = { ...before, ...change };
      return asJson
        ? jsonResponse(200, { success: true, message, view: queryOf(view) })
        : redirect(view, anchor, { good: true, text: message });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return asJson
        ? errorResponse(422, error.message)
        : redirect(before, anchor, { good: false, text: error.message, rejected });
    }
  }

  async function post(name: string, request: IncomingMessage): Promise<PageResponse> {
    if (!isCommandName(name)) return errorResponse(404, `There is no action ${PREFIX}${name}.`);
    const body = await readBody(request, MAX_FORM_BYTES).catch(() => undefined);
    if (body === undefined) {
      return errorResponse(413, `The body is larger than ${MAX_FORM_BYTES} bytes.`);
    }
    return respondToForm(name, new URLSearchParams(body), wantsJson(request));
  }

  function get(path: string, query: URLSearchParams, request: IncomingMessage): PageResponse {
    if (path === "/") {
      const view = viewIn(query);
      const address = new URL(`http://${request.headers.host}`).origin;
      const flash = flashMessages.get(view.flash);
      return { type: "text/html", body: renderPage({ server, log, view, address, flash }) };
    }
    if (path === `${PREFIX}page.css`) return { type: "text/css", body: STYLE };
    if (path === `${PREFIX}page.js`) return { type: "text/javascript", body: SCRIPT };
    return errorResponse(404, `There is nothing at ${path}.`);
  }

  async function respondTo(request: IncomingMessage, url: URL): Promise<PageResponse> {
    const { method } = request;
    if (method === "POST") return post(url.pathname.replace(PREFIX, ""), request);
    if (method === "GET" || method === "HEAD") return get(url.pathname, url.searchParams, request);
    const error = errorResponse(405, "The page accepts only GET and POST.");
    return { ...error, headers: { allow: "GET, POST" } };
  }

  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const forbidden = forbiddenReason(request, server.isPublic);
    if (forbidden !== undefined) {
      send(response, errorResponse(403, forbidden));
    } else if (url.pathname === `${PREFIX}events` && request.method === "GET") {
      if (!events.add(response)) send(response, errorResponse(503, "Too many pages are open."));
    } else {
      // A page that breaks must not take the gateway with it.
      const failed = (error: unknown) => errorResponse(500, `The page failed: ${String(error)}`);
      send(response, await respondTo(request, url).catch(failed));
    }
  };
}

function send(response: ServerResponse, { status = 200, type, body, headers }: PageResponse): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8`, ...headers });
  response.end(body);
}
