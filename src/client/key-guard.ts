import type { Endpoint } from "../contract/endpoints.ts";
import { KeyTypeError } from "../errors/configuration.ts";
import type { Settings } from "./settings.ts";

/**
 * May this key call this row, here? A sandbox key in a browser may do what a public one may.
 *
 * @throws {KeyTypeError} before anything is sent.
 */
export function checkKeyKind(
  endpoint: string,
  { keys }: Endpoint,
  { kind, publicOnly }: Settings,
): void {
  if (keys.includes(publicOnly ? "public" : kind)) return;
  const held = kind === "public" ? "a public key" : `a ${kind} key in a browser`;
  throw new KeyTypeError(
    `${endpoint} needs a secret key, and this is ${held}. Nothing was sent: make the call on your server.`,
  );
}
