import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { commandContext } from "../control/command-context.ts";
import { type CommandName, isCommandName } from "../control/commands.ts";
import { readBody } from "../http/read-body.ts";
import { errorResponse, json, type OwnResponse, protect, respond } from "../http/respond.ts";
import type { ServerContext } from "../http/server-context.ts";
import { formField, runAction } from "./actions.ts";
import { EventStream } from "./event-stream.ts";
import { type FlashMessage, FlashMessages, formKey } from "./flash.ts";
import { renderPage } from "./page.ts";
import { queryOf, type View, viewIn } from "./view.ts";

// The bundled script and stylesheet of the page: see scripts/page-assets.ts.
declare const PAGE_SCRIPT: string;
declare const PAGE_STYLE: string;

/** Responds to requests for the page: `/`, and everything below `/_sandbox/`. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A form has a few fields: no form of the page is larger. */
const MAX_FORM_BYTES = 65_536;

const PREFIX = "/_sandbox/";

const POLICY =
  "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'";

/** The page's script asks for JSON; a browser that sends a form does not. */
const wantsJson = ({ headers }: IncomingMessage) => headers.accept === "application/json";

/** The handler of a served sandbox's page. */
export function createPage(server: ServerContext): PageHandler {
  const events = new EventStream(server.sandboxState);
  const flashMessages = new FlashMessages();
  const context = commandContext(server);

  /** Back to the page by a GET, so that reloading it acts only once. */
  function redirect(view: View, anchor: string, message: FlashMessage): OwnResponse {
    const query = new URLSearchParams(queryOf(view));
    query.set("flash", flashMessages.add(message));
    const location = `/?${query}${anchor && `#${anchor}`}`;
    return { status: 303, type: "text/html", body: "", headers: { location } };
  }

  async function respondToForm(
    name: CommandName,
    form: URLSearchParams,
    asJson: boolean,
  ): Promise<OwnResponse> {
    const before = viewIn(new URLSearchParams(formField(form, "back")));
    const anchor = formField(form, "at").replace(/[^\w-]/g, "");
    const rejected = { key: formKey(name, anchor), fields: form };
    try {
      const { message, view: change } = await runAction(name, context, form);
      const view = { ...before, ...change };
      return asJson
        ? json({ success: true, message, view: queryOf(view) })
        : redirect(view, anchor, { good: true, text: message });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return asJson
        ? errorResponse(422, error.message)
        : redirect(before, anchor, { good: false, text: error.message, rejected });
    }
  }

  async function post(name: string, request: IncomingMessage): Promise<OwnResponse> {
    if (!isCommandName(name)) return errorResponse(404, `There is no action ${PREFIX}${name}.`);
    const body = await readBody(request, MAX_FORM_BYTES).catch(() => undefined);
    if (body === undefined) {
      return errorResponse(413, `The body is larger than ${MAX_FORM_BYTES} bytes.`);
    }
    return respondToForm(name, new URLSearchParams(body), wantsJson(request));
  }

  function get(path: string, query: URLSearchParams, host: string | undefined): OwnResponse {
    if (path === "/") {
      const view = viewIn(query);
      const address = new URL(`http://${host}`).origin;
      const flash = flashMessages.get(view.flash);
      return { type: "text/html", body: renderPage({ server, view, address, flash }) };
    }
    if (path === `${PREFIX}page.css`) return { type: "text/css", body: PAGE_STYLE };
    if (path === `${PREFIX}page.js`) return { type: "text/javascript", body: PAGE_SCRIPT };
    return errorResponse(404, `There is nothing at ${path}.`);
  }

  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const { method, headers } = request;
    protect(response, POLICY);
    if (method === "POST") {
      respond(response, await post(pathname.replace(PREFIX, ""), request));
    } else if (method !== "GET" && method !== "HEAD") {
      const allow = { allow: "GET, POST" };
      respond(response, errorResponse(405, "The page accepts only GET and POST.", allow));
    } else if (pathname !== `${PREFIX}events`) {
      respond(response, get(pathname, searchParams, headers.host));
    } else if (!events.add(response)) {
      respond(response, errorResponse(503, "Too many pages are open."));
    }
  };
}
