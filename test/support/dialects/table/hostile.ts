import { BASE } from "../base.ts";
import type { Dialect } from "../types.ts";

const page = (title: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

/** Dialects that make learning hard. */
export const HOSTILE: readonly Dialect[] = [
  {
    ...BASE,
    name: "html-errors",
    about: "responds in JSON, but rejects with a page of HTML",
    reject: ({ status, message }) => page(`${status} ${message}`),
    paging: { kind: "page", at: "p", size: "limit", defaultSize: 20, maxSize: 100 },
    list: (items, { page, total }) => ({ success: true, data: items, page, total }),
  },
  {
    ...BASE,
    name: "busy",
    about: "takes six requests, then rejects with 429 and Retry-After until a second has passed",
    requestsPerSecond: 6,
    headers: ({ left }) => ({
      "x-ratelimit-limit": "6",
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": "1",
    }),
    reject: ({ cause, message }) => ({ success: false, error: message, code: cause }),
  },
  {
    ...BASE,
    name: "scopeless",
    about: "keys have neither scopes nor kinds: any known key may do everything",
    hasScopes: false,
    rejections: { ...BASE.rejections, wrongKind: 200, missingScope: 200 },
    statuses: { ...BASE.statuses, deleted: 202 },
  },
  {
    ...BASE,
    name: "html",
    about: "is not the service at all: answers every request with a page of HTML",
    html: true,
    reject: ({ message }) => page(message),
  },
];
