import { total } from "../../../profile/counts.ts";
import type { DeliveryShape, HeaderShape, ResponseShape } from "../../../profile/types.ts";
import type { Serializer } from "../serializer.ts";
import { placeholderText } from "./placeholder.ts";

/** Headers that belong to the service, not to the server in front of it. */
const OF_SERVICE =
  /^(?:x-|ratelimit|(?:\w+-)*(?:request|trace|debug)-id|(?:retry-after|location|www-authenticate|allow)$)/;

/** Headers of a delivery that the sandbox sends anyway. */
const SENT_ANYWAY = /^(?:content-type|x-service-signature|x-sandbox-.*|priority)$/;

/** Headers with a syntax that a client reads. */
const FIXED: Readonly<Record<string, string>> = {
  location: "/",
  "www-authenticate": 'Bearer realm="sandbox"',
};

/** The headers that were on at least half of the messages, with their values. */
const usualHeaders = (
  { seen, headers }: Pick<ResponseShape, "seen" | "headers">,
  isWanted: (name: string) => boolean,
  write: (name: string, header: HeaderShape) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, header]) => total(header.seen) * 2 >= total(seen) && isWanted(name))
      .map(([name, header]) => [name, write(name, header)]),
  );

/** The headers of a response with this shape, beside the content type. */
export const headersLike = (response: ResponseShape, seed: string): Record<string, string> =>
  usualHeaders(
    response,
    (name) => OF_SERVICE.test(name),
    (name, { values, formats: [format = "token"] = [] }) =>
      FIXED[name] ?? values?.at(-1) ?? placeholderText(format, name, seed),
  );

/** The headers of a delivery, as they were learned. */
export const deliveryHeadersLike = (
  deliveries: DeliveryShape,
  { delivery: { id, event }, tries, now }: Parameters<Serializer["deliveryHeaders"]>[0],
  timestamp: (ms: number) => string,
): Record<string, string> =>
  usualHeaders(
    deliveries,
    (name) => !SENT_ANYWAY.test(name),
    (name, { values, formats: [format = "token"] = [] }) => {
      const isNumber = format.startsWith("digits");
      if (/time|date/.test(name)) {
        if (!isNumber) return timestamp(now);
        return String(format === "digits13" ? now : Math.floor(now / 1000));
      }
      const isRetry = /retry|redeliver/.test(name);
      if (isNumber && isRetry) return String(tries - 1);
      if (isNumber && /attempt|tries/.test(name)) return String(tries);
      if (format === "token" && /(?:event|topic|type)$/.test(name)) return event;
      return values?.[0] ?? placeholderText(format, name, `${id} ${tries}`);
    },
  );
