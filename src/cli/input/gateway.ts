import { Gateway } from "../../client/gateway.ts";
import type { GatewayOptions } from "../../client/options.ts";
import type { Input } from "../definitions/types.ts";
import { readFile } from "./files.ts";

/** Editors end a file with a line break, which does not belong to the key. */
export const readKey = (path: string) =>
  readFile(path)
    .toString("utf8")
    .replace(/\r?\n$/, "");

/** The options of the gateway. The key comes from the environment or a file, never from a flag. */
export function gatewayOptions({ values }: Input): GatewayOptions {
  const keyFile = values["key-file"];
  const baseUrl = values["base-url"];
  return {
    ...(keyFile !== undefined && { apiKey: readKey(keyFile) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

export const createGateway = (input: Input): Gateway => new Gateway(gatewayOptions(input));
