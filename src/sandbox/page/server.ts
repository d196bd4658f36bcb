import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { readNodeBody } from "../../internal/on-node.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../clock.ts";
import { commandContext } from "../control/command-context.ts";
import { COMMANDS, type CommandName, isCommandName } from "../control/commands.ts";
import { type Command, runCommand } from "../control/define-command.ts";
import {
  errorResponse,
  type OwnResponse,
  protect,
  respond,
  type ServerContext,
} from "../http/respond.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { documentAt } from "./docs/docs-page.ts";
import { type FlashMessage, type ListName, queryOf, type View, viewIn } from "./page-view.ts";
import { renderSandboxPage } from "./sandbox-page.ts";

/** Changes within this many real milliseconds make one event. */
const BATCH_MS = 60;
/** A connection without data for long may be closed by something in between. */
const HEARTBEAT_MS = 20_000;
/** More pages than a developer opens. */
const MAX_CONNECTIONS = 64;

/** Server-sent events to open pages: something changed. The pages load what it is. */
class EventStream {
  readonly #sandboxState: SandboxState;
  readonly #connections = new Set<ServerResponse>();
  #batch: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(sandboxState: SandboxState) {
    this.#sandboxState = sandboxState;
  }

  /** Returns `false` if too many pages are connected already. */
  add(response: ServerResponse): boolean {
    if (this.#connections.size >= MAX_CONNECTIONS) return false;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    // An event at every new connection: something may have happened since the last one.
    response.write("retry: 1000\nevent: changed\ndata:\n\n");
    response.on("close", () => this.#remove(response));
    this.#connections.add(response);
    this.#sandboxState.watchers.add(this);
    this.#heartbeat ??= setInterval(() => this.#send(": heartbeat\n\n"), HEARTBEAT_MS);
    return true;
  }

  changed(): void {
    this.#batch ??= setTimeout(() => {
      this.#batch = undefined;
      this.#send("event: changed\ndata:\n\n");
    }, BATCH_MS);
  }

  #send(text: string): void {
    for (const response of this.#connections) response.write(text);
  }

  #remove(response: ServerResponse): void {
    this.#connections.delete(response);
    if (this.#connections.size > 0) return;
    this.#sandboxState.watchers.delete(this);
    clearTimeout(this.#batch);
    clearInterval(this.#heartbeat);
    this.#batch = undefined;
    this.#heartbeat = undefined;
  }
}

// The bundled script and stylesheets: see scripts/page-assets.ts.
declare const PAGE_SCRIPT: string;
declare const PAGE_STYLE: string;
declare const DOCS_STYLE: string;

/** Responds to every request that is not for the service. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A form has a few fields: no form of the page is larger. */
const MAX_FORM_BYTES = 65_536;

const MAX_MESSAGES = 50;

const PREFIX = "/_sandbox/";

const POLICY =
  "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'";
const DOCS_POLICY = "style-src 'self'; img-src data:; form-action 'none'";

/** What is the same at every request, by its path. */
const ASSETS: Readonly<Record<string, OwnResponse>> = {
  "/_sandbox/page.css": { type: "text/css", body: PAGE_STYLE },
  "/_sandbox/page.js": { type: "text/javascript", body: PAGE_SCRIPT },
  "/docs/style.css": { type: "text/css", body: DOCS_STYLE },
};

/** A field of a form, trimmed; empty for a field that is missing. */
const formField = (form: URLSearchParams, name: string): string => (form.get(name) ?? "").trim();

const firstPage = (list: ListName): Partial<View> => ({
  [list]: "",
  [`${list}-only`]: "",
  [`${list}-find`]: "",
});

/** What the page shows after a command, if it differs from what it showed before. */
function nextView(name: CommandName, result: object): Partial<View> {
  const {
    number = "",
    reference = "",
    id = "",
    state,
  } = result as Readonly<Record<string, string>>;
  switch (name) {
    case "pay":
      return { ...firstPage("payments"), phone: number, payment: reference };
    case "deliveries/resend":
      return { delivery: id };
    case "webhooks/test":
      // A test that arrived needs no explanation.
      return { ...firstPage("deliveries"), delivery: state === "delivered" ? "" : id };
    case "reset":
    case "scenes/load":
      // The state was replaced: what was open may no longer exist.
      return { phone: "", payment: "", delivery: "", request: "" };
    default:
      return number === "" ? {} : { phone: number };
  }
}

/** A served sandbox's page and its documents. */
class Page {
  readonly #server: ServerContext;
  readonly #events: EventStream;
  readonly #context: ReturnType<typeof commandContext>;
  /** The latest messages of actions. The address names one, and never holds its text. */
  readonly #messages = new Map<string, FlashMessage>();
  #count = 0;

  constructor(server: ServerContext) {
    this.#server = server;
    this.#events = new EventStream(server.sandboxState);
    this.#context = commandContext(server);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const { method, headers } = request;
    const isOwn = pathname === "/" || pathname.startsWith(PREFIX);
    protect(response, isOwn ? POLICY : DOCS_POLICY);
    if (method === "POST" && isOwn) {
      respond(response, await this.#post(pathname.replace(PREFIX, ""), request));
    } else if (method !== "GET" && method !== "HEAD") {
      const allow = isOwn ? "GET, POST" : "GET";
      respond(response, errorResponse(405, `The page accepts only ${allow}.`, { allow }));
    } else if (pathname !== `${PREFIX}events`) {
      respond(response, this.#get(pathname, searchParams, headers.host));
    } else if (!this.#events.add(response)) {
      respond(response, errorResponse(503, "Too many pages are open."));
    }
  }

  #get(path: string, query: URLSearchParams, host: string | undefined): OwnResponse {
    const { origin } = new URL(`http://${host}`);
    if (path === "/") {
      const server = this.#server;
      const view = viewIn(query);
      const flash = this.#messages.get(view.flash);
      const { state } = server.sandboxState;
      const baseUrl = origin + ASSUMPTIONS.address.value.prefix;
      const body = renderSandboxPage({ server, state, view, baseUrl, flash });
      return { type: "text/html", body };
    }
    const found = ASSETS[path] ?? documentAt(path.replace(/\/$/, ""), origin);
    const pages = "The pages are /, /docs and /docs/control.";
    return found ?? errorResponse(404, `There is nothing at ${path}. ${pages}`);
  }

  /** Runs a command with the fields of a form. */
  async #post(action: string, request: IncomingMessage): Promise<OwnResponse> {
    if (!isCommandName(action)) return errorResponse(404, `There is no action ${PREFIX}${action}.`);
    const body = await readNodeBody(request, MAX_FORM_BYTES);
    if (body === undefined) {
      return errorResponse(413, `The body is larger than ${MAX_FORM_BYTES} bytes.`);
    }
    const form = new URLSearchParams(body);
    const before = viewIn(new URLSearchParams(formField(form, "back")));
    const at = formField(form, "at").replace(/[^\w-]/g, "");
    const command: Command = COMMANDS[action];
    const given = command.fields.filter((field) => form.has(field));
    const fields = given.map((field) => [field, formField(form, field)]);
    try {
      const result = await runCommand(command, this.#context, Object.fromEntries(fields));
      const view = { ...before, ...nextView(action, result) };
      return this.#redirect(view, at, { text: command.message(result) });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const rejected = { action, at, fields: form };
      return this.#redirect(before, at, { text: error.message, rejected });
    }
  }

  /** Leads back to the page by a GET, so that reloading it acts only once. */
  #redirect(view: View, anchor: string, message: FlashMessage): OwnResponse {
    const query = new URLSearchParams(queryOf(view));
    const count = ++this.#count;
    this.#messages.set(String(count), message).delete(String(count - MAX_MESSAGES));
    query.set("flash", String(count));
    const location = `/?${query}${anchor && `#${anchor}`}`;
    return { status: 303, type: "text/html", body: "", headers: { location } };
  }
}

/** The handler of a served sandbox's page and its documents. */
export function createPage(server: ServerContext): PageHandler {
  const page = new Page(server);
  return (request, response) => page.serve(request, response);
}
