import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { Host } from "../http/host.ts";
import { readBody } from "../http/read-body.ts";
import type { ExchangeLog } from "../observe/exchange-log.ts";
import { ACTIONS, type Done, fieldOf } from "./actions.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { refusalOf } from "./guard.ts";
import { createLivePages } from "./live.ts";
import { createNotes } from "./notes.ts";
import { renderPage } from "./page.ts";
import { queryOf, viewIn } from "./view.ts";

/** Answers what is asked of the page: `/`, and all below `/_sandbox/`. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A form holds a few fields; whoever sends more means something else. */
const MOST_BYTES = 65_536;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // Not `no-referrer`: a browser would then send the page's own forms with the origin `null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

interface Answer {
  readonly status?: number;
  readonly type: "text/html" | "text/css" | "text/javascript" | "application/json";
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

const refused = (status: number, error: string): Answer => json(status, { success: false, error });

/** The page's script does; a browser that sends a form does not. */
const wantsJson = ({ headers }: IncomingMessage) => headers.accept === "application/json";

/** The page of a served sandbox. */
export function createPage(host: Host, log: ExchangeLog): PageHandler {
  const pages = createLivePages(host.world);
  const notes = createNotes();

  async function act(name: string, request: IncomingMessage): Promise<Answer> {
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) return refused(404, `There is no action /_sandbox/${name}.`);
    const body = await readBody(request, MOST_BYTES).catch(() => undefined);
    if (body === undefined) return refused(413, `The body is larger than ${MOST_BYTES} bytes.`);
    const fields = new URLSearchParams(body);
    let done: Done;
    let status = 200;
    try {
      done = await action(host, fields);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      status = 422;
      done = { said: error.message };
    }
    const { said, view: change = {} } = done;
    const view = { ...viewIn(new URLSearchParams(fieldOf(fields, "back"))), ...change };
    if (wantsJson(request)) {
      const success = status === 200;
      return json(
        status,
        success ? { success, said, view: queryOf(view) } : { success, error: said },
      );
    }
    // Back to the page by a GET, so that reloading does nothing twice.
    const note = notes.leave({ good: status === 200, text: said });
    const anchor = fieldOf(fields, "at").replace(/[^\w-]/g, "");
    const location = `/?${queryOf(view)}&note=${note}${anchor && `#${anchor}`}`.replace("?&", "?");
    return { status: 303, type: "text/html", body: "", headers: { location } };
  }

  async function answer(request: IncomingMessage, path: string, query: URLSearchParams) {
    const name = path.replace("/_sandbox/", "");
    if (request.method === "POST") return act(name, request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { ...refused(405, "The page takes GET and POST."), headers: { allow: "GET, POST" } };
    }
    if (path === "/") {
      const view = viewIn(query);
      const address = new URL(`http://${request.headers.host}`).origin;
      const body = renderPage({ host, log, view, address, note: notes.read(view.note) });
      return { type: "text/html", body } as const;
    }
    if (name === "page.css") return { type: "text/css", body: STYLE } as const;
    if (name === "page.js") return { type: "text/javascript", body: SCRIPT } as const;
    return refused(404, `There is nothing at ${path}.`);
  }

  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const reason = refusalOf(request);
    let reply: Answer;
    if (reason !== undefined) {
      reply = refused(403, reason);
    } else if (pathname === "/_sandbox/events" && request.method === "GET") {
      if (pages.add(response)) return;
      reply = refused(503, "Too many pages are open.");
    } else {
      try {
        reply = await answer(request, pathname, searchParams);
      } catch (error) {
        // A page that breaks must not take the gateway with it.
        reply = refused(500, `The page failed: ${String(error)}`);
      }
    }
    const { status = 200, type, body, headers } = reply;
    response.writeHead(status, { "content-type": `${type}; charset=utf-8`, ...headers });
    response.end(body);
  };
}
