import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { isLoopback } from "../../internal/loopback.ts";

type Headers = Readonly<Record<string, string>>;

/** Who may reach a served sandbox beside this machine. */
export interface Access {
  /** The address to listen on. */
  readonly host: string;
  /** Origins whose pages may call the service, beside those on loopback. */
  readonly cors: readonly string[];
}

/** @throws {ConfigurationError} */
export function checkAccess(host: unknown = "127.0.0.1", cors: unknown = []): Access {
  if (typeof host !== "string" || host === "") {
    throw new ConfigurationError(
      `\`host\` must be an address, such as "0.0.0.0"; got ${describeValue(host)}.`,
    );
  }
  if (!Array.isArray(cors) || !cors.every(isOrigin)) {
    throw new ConfigurationError(
      '`cors` must be a list of origins, such as ["https://shop.example"]: scheme, host and port, without a path.',
    );
  }
  return { host, cors: [...cors] };
}

const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;

/**
 * Why a request to the service is rejected; `undefined` for one that may come. A website can make its
 * own domain resolve to loopback (DNS rebinding), so on loopback `Host` must be a loopback name.
 */
export function foreignHostError(header: string | undefined, { host }: Access): string | undefined {
  if (!isLoopback(host) || header === undefined) return undefined;
  const name = URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : "";
  if (isLoopback(name)) return undefined;
  return "The sandbox accepts requests only for 127.0.0.1 or localhost. To serve other machines, start it with --host 0.0.0.0.";
}

/** The headers of a response, without those that let pages of other sites read it. */
export const withoutCors = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")),
  );

/** The headers of a response to a page of this origin. */
export const withoutForeignCors = (
  headers: Headers,
  origin: string | undefined,
  access: Access,
): Headers => (origin === undefined || mayRead(origin, access) ? headers : withoutCors(headers));

const mayRead = (origin: string, { cors }: Access): boolean =>
  cors.includes(origin) || (URL.canParse(origin) && isLoopback(new URL(origin).hostname));
