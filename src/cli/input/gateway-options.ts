import { Gateway } from "../../client/gateway.ts";
import type { GatewayOptions } from "../../client/options.ts";
import type { Input } from "../definitions/types.ts";
import { readFile } from "./files.ts";

/** The key's own line end is no part of it: editors put one there. */
const keyIn = (path: string) =>
  readFile(path)
    .toString("utf8")
    .replace(/\r?\n$/, "");

/** What a gateway command calls with: the key of the environment or of a file, never of a flag. */
export function gatewayOptions({ text }: Input): GatewayOptions {
  const file = text["key-file"];
  const baseUrl = text["base-url"];
  return {
    ...(file !== undefined && { apiKey: keyIn(file) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

export const gatewayOf = (input: Input): Gateway => new Gateway(gatewayOptions(input));
