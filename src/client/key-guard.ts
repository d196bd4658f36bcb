import { KeyTypeError } from "../errors/configuration.ts";
import type { CallContext } from "./http/types.ts";

/**
 * Checks that the key may call an endpoint here. In a browser, a sandbox key may call what a public
 * key may call.
 *
 * @throws {KeyTypeError} before anything is sent.
 */
export function checkKeyKind({ name, endpoint, settings }: CallContext): void {
  const { kind, publicOnly } = settings;
  if (endpoint.keys.includes(publicOnly ? "public" : kind)) return;
  const given = kind === "public" ? "a public key" : `a ${kind} key in a browser`;
  throw new KeyTypeError(
    `${name} requires a secret key; this gateway has ${given}. Nothing was sent. Make this call on your server.`,
  );
}
