import { total } from "../../../profile/counts.ts";
import type { DeliveryShape, HeaderShape, ResponseShape } from "../../../profile/types.ts";
import { placeholderText } from "./placeholder.ts";

/** Headers that belong to the service, not to the server in front of it. */
const OF_SERVICE =
  /^(?:x-|ratelimit|(?:\w+-)*(?:request|trace|debug)-id|(?:retry-after|location|www-authenticate|allow)$)/;

/** Headers that a client or a server on the way adds, and those that the sandbox sends anyway. */
const OF_TRANSPORT =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept.*|cookie|expect|x-service-signature|x-sandbox-.*|x-forwarded-.*|x-real-ip|forwarded|via|sec-.*|cf-.*|priority)$/;

/** Headers with a syntax that a client reads. */
const FIXED: Readonly<Record<string, string>> = {
  location: "/",
  "www-authenticate": 'Bearer realm="sandbox"',
};

/** The headers that were on at least half of the messages. */
const usualHeaders = (
  { seen, headers }: Pick<ResponseShape, "seen" | "headers">,
  isWanted: (name: string) => boolean,
): [name: string, header: HeaderShape][] =>
  Object.entries(headers).filter(
    ([name, header]) => total(header.seen) * 2 >= total(seen) && isWanted(name),
  );

/** The headers of a response with this shape, beside the content type. */
export const headersLike = (response: ResponseShape, seed: string): Record<string, string> =>
  Object.fromEntries(
    usualHeaders(response, (name) => OF_SERVICE.test(name)).map(([name, { values, formats }]) => [
      name,
      FIXED[name] ?? values?.at(-1) ?? placeholderText(formats?.[0] ?? "token", name, seed),
    ]),
  );

/** What a delivery may say of itself in its headers. */
interface DeliveryValues {
  readonly event: string;
  readonly tries: number;
  readonly now: number;
  readonly seed: string;
  readonly timestamp: (ms: number) => string;
}

/** The headers of a delivery, as they were learned. */
export function deliveryHeadersLike(
  deliveries: DeliveryShape,
): (values: DeliveryValues) => Record<string, string> {
  const usual = usualHeaders(deliveries, (name) => !OF_TRANSPORT.test(name));
  return (values) =>
    Object.fromEntries(usual.map(([name, shape]) => [name, headerValue(name, shape, values)]));
}

function headerValue(
  name: string,
  { formats: [format = "token"] = [], values }: HeaderShape,
  { event, tries, now, seed, timestamp }: DeliveryValues,
): string {
  const isNumber = format.startsWith("digits");
  if (/time|date/.test(name)) {
    if (!isNumber) return timestamp(now);
    return String(format === "digits13" ? now : Math.floor(now / 1000));
  }
  const [retry] = /retry|redeliver/.exec(name) ?? [];
  if (isNumber && (retry || /attempt|tries/.test(name))) return String(retry ? tries - 1 : tries);
  if (format === "token" && /(?:event|topic|type)$/.test(name)) return event;
  return values?.[0] ?? placeholderText(format, name, seed);
}
