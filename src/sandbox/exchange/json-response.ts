import type { ApiResponse } from "./messages.ts";

/** Any origin may call, and read every header of the response. */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/** A value as a JSON response, with the headers that every response of the service has. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: {
      ...CORS_HEADERS,
      "content-type": "application/json",
      // A browser must not take an error text for a page.
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: JSON.stringify(value),
  };
}
