import type { Endpoint } from "../contract/endpoints.ts";
import { KeyTypeError } from "../errors/configuration.ts";
import type { Settings } from "./settings.ts";

/**
 * Checks that the key may call an endpoint here. In a browser, a sandbox key may call what a public
 * key may call.
 *
 * @throws {KeyTypeError} before anything is sent.
 */
export function checkKeyKind(
  endpoint: string,
  { keys }: Endpoint,
  { kind, publicOnly }: Settings,
): void {
  if (keys.includes(publicOnly ? "public" : kind)) return;
  const given = kind === "public" ? "a public key" : `a ${kind} key in a browser`;
  throw new KeyTypeError(
    `${endpoint} requires a secret key; this gateway has ${given}. Nothing was sent. Make this call on your server.`,
  );
}
