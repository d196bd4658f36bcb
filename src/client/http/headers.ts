import { ConfigurationError } from "../../errors/configuration.ts";
import { describeName } from "../../internal/check-options.ts";
import type { Settings } from "../settings.ts";

/**
 * The headers of a request. The key's header comes last, so that none of the caller's can replace it.
 *
 * @throws {ConfigurationError} for a name or a value that no header can have.
 */
export function requestHeaders(
  own: Record<string, string> | Headers = {},
  { keyHeader, userAgent }: Pick<Settings, "keyHeader" | "userAgent">,
  hasBody: boolean,
): Headers {
  const headers = new Headers({
    accept: "application/json",
    ...(userAgent !== undefined && { "user-agent": userAgent }),
  });
  if (hasBody) headers.set("content-type", "application/json");
  const entries = own instanceof Headers ? own : Object.entries(own);
  for (const [name, value] of entries) {
    try {
      headers.set(name, value);
    } catch {
      // The runtime's own message quotes the value, which may be a secret.
      throw new ConfigurationError(
        `The header ${describeName(name)} cannot be sent: its name or its value has characters that a header cannot have.`,
      );
    }
  }
  headers.set(...keyHeader);
  return headers;
}
