import type { IncomingMessage, ServerResponse } from "node:http";
import { openApiDocument } from "../../openapi/document.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { CONTROL_PREFIX } from "../control/commands.ts";
import { controlDocument } from "../control/document.ts";
import { errorResponse, json, type OwnResponse, protect, respond } from "../http/respond.ts";
import { renderDocument } from "./page.ts";

// The bundled stylesheet: see scripts/page-assets.ts.
declare const DOCS_PAGE_STYLE: string;

const serviceDocument = (origin: string) =>
  openApiDocument(origin + ASSUMPTIONS.address.value.prefix);

const controlApi = (origin: string) => ({
  ...controlDocument(),
  servers: [{ url: origin + CONTROL_PREFIX }],
});

/** What there is, by its path. `origin` is the address that the reader used. */
const PAGES: Readonly<Record<string, (origin: string) => OwnResponse>> = {
  "/docs": (origin) => ({
    type: "text/html",
    body: renderDocument(serviceDocument(origin), "service"),
  }),
  "/docs/control": (origin) => ({
    type: "text/html",
    body: renderDocument(controlApi(origin), "control"),
  }),
  "/docs/style.css": () => ({ type: "text/css", body: DOCS_PAGE_STYLE }),
  "/openapi.json": (origin) => json(serviceDocument(origin)),
};

function responseTo({ method, url = "/", headers }: IncomingMessage): OwnResponse {
  const { pathname } = new URL(url, "http://localhost");
  const path = pathname.replace(/\/$/, "");
  const page = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
  if (page === undefined) {
    const pages = "The pages are /docs and /docs/control.";
    return errorResponse(404, `There is nothing at ${pathname}. ${pages}`);
  }
  if (method !== "GET" && method !== "HEAD") {
    return errorResponse(405, "The pages accept only GET.", { allow: "GET" });
  }
  return page(new URL(`http://${headers.host}`).origin);
}

/** Responds to requests for `/docs`, what is below it, and `/openapi.json`. */
export function handleDocs(request: IncomingMessage, response: ServerResponse): void {
  protect(response, "style-src 'self'; img-src data:; form-action 'none'");
  respond(response, responseTo(request));
}
