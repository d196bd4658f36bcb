import type { IncomingMessage, ServerResponse } from "node:http";
import { openApiDocument } from "../../openapi/document.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { CONTROL_PREFIX } from "../control/commands.ts";
import { controlDocument } from "../control/document.ts";
import { foreignRequestError } from "../http/local-only.ts";
import { pageHeaders } from "../http/page-headers.ts";
import { DOCS_STYLE } from "./assets.ts";
import type { Document } from "./openapi.ts";
import { renderDocument } from "./page.ts";

const HEADERS = pageHeaders("style-src 'self'; img-src data:; form-action 'none'");

/** What there is below `/docs`, by its path. `origin` is the address that the reader used. */
const PAGES: Readonly<Record<string, (origin: string) => readonly [type: string, body: string]>> = {
  "/docs": (origin) => {
    const document = openApiDocument(origin + ASSUMPTIONS.address.value.prefix);
    return ["text/html", renderDocument(document as unknown as Document, "service")];
  },
  "/docs/control": (origin) => {
    const document = { ...controlDocument(), servers: [{ url: origin + CONTROL_PREFIX }] };
    return ["text/html", renderDocument(document as unknown as Document, "control")];
  },
  "/docs/style.css": () => ["text/css", DOCS_STYLE],
};

interface DocsResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const errorResponse = (status: number, error: string): DocsResponse => ({
  status,
  type: "application/json",
  body: JSON.stringify({ success: false, error }),
});

function respondTo(request: IncomingMessage, isPublic: boolean): DocsResponse {
  const { method, url = "/", headers } = request;
  const foreign = foreignRequestError(headers.host, headers.origin, { isPublic });
  if (foreign !== undefined) return errorResponse(403, foreign);
  const { pathname } = new URL(url, "http://localhost");
  const path = pathname.replace(/\/$/, "");
  const make = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
  if (make === undefined) {
    return errorResponse(
      404,
      `There is nothing at ${pathname}. The pages are /docs and /docs/control.`,
    );
  }
  if (method !== "GET" && method !== "HEAD") {
    return errorResponse(405, "The pages accept only GET.");
  }
  const [type, body] = make(new URL(`http://${headers.host}`).origin);
  return { status: 200, type, body };
}

/** Responds to requests for `/docs` and what is below it. */
export function handleDocs(
  request: IncomingMessage,
  response: ServerResponse,
  isPublic: boolean,
): void {
  const { status, type, body } = respondTo(request, isPublic);
  response.writeHead(status, { ...HEADERS, "content-type": `${type}; charset=utf-8` });
  response.end(body);
}
