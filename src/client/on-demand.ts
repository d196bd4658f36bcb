import { ConnectionError } from "../errors/connection.ts";

/**
 * Loads a part of the client at its first use, so that a page that only reads does not pay for it.
 * Nothing that a public key may do loads anything: a service worker allows no `import()`.
 *
 * @throws {ConnectionError} with the outcome `not_sent`, if the part cannot be loaded. The next use
 * tries again.
 */
export function onDemand<Part>(name: string, importPart: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    loading ??= importPart().catch((cause: unknown) => {
      loading = undefined;
      throw new ConnectionError(
        `The part of malipo for ${name} could not be loaded. Nothing was sent. Is the whole package deployed, and does this runtime allow import()?`,
        "not_sent",
        { cause },
      );
    });
    return loading;
  };
}
