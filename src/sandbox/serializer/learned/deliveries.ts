import { shapeAt } from "../../../profile/paths.ts";
import { type Place, toTree } from "../../../profile/place.ts";
import { findSchedule, usual } from "../../../profile/read.ts";
import type { EventRecord } from "../../state/stored.ts";
import { ASSUMED_SERIALIZER, eventData } from "../assumed.ts";
import type { Serializer } from "../serializer.ts";
import { deliveryHeadersLike } from "./headers.ts";
import { type Learned, writeRecord } from "./responses.ts";
import { findOnce } from "./templates.ts";
import { type Lookup, write } from "./write.ts";

/** The field of a delivery that the interface documents, and that holds the payment or the invoice. */
const DATA = "data";

/** The events whose payload the interface shows. */
const DOCUMENTED = ["payment.completed", "payment.failed"];

/** What an event is written into. */
interface EventTemplate {
  /** `undefined`: no event was seen, so that it is as the interface documents it. */
  readonly root: Place | undefined;
  /** The payment or the invoice. */
  readonly data: Place | undefined;
  /** Only the documented fields of it. */
  readonly isDocumented: boolean;
}

const resourceOf = (kind: string) => (kind.startsWith("invoice.") ? "invoice" : "payment");

function findTemplate({ profile, templates }: Learned, kind: string): EventTemplate {
  const own = profile.events[kind];
  const [any] = Object.values(profile.events);
  const resource = resourceOf(kind);
  return {
    root: toTree((own ?? any)?.body ?? {}),
    data: own
      ? templates.resourceLike(shapeAt(own.body, DATA), resource)
      : templates.resourceOf(resource),
    isDocumented: own === undefined && DOCUMENTED.includes(kind),
  };
}

/** Writes events, and makes deliveries, as they were learned. */
export function learnedDeliveries(
  learned: Learned,
): Pick<Serializer, "event" | "deliveryHeaders" | "retryDelaysMs"> {
  const { profile, format } = learned;
  const { timestamp } = format;
  const templateOf = findOnce((kind: string) => findTemplate(learned, kind));
  const schedule = findSchedule(profile);
  const usualPrefix = usual(profile.deliveries.signaturePrefixes) ?? "none";
  const prefix = usualPrefix === "none" ? "" : usualPrefix;
  return {
    event: (kind, at, record) => {
      const { root, ...template } = templateOf(kind);
      const value = writeData(learned, template, kind, record);
      if (root === undefined) {
        return JSON.stringify({ event: kind, timestamp: timestamp(at), data: value });
      }
      const lookup: Lookup = ({ name }) => {
        if (name === "event") return { sent: kind };
        if (name === "timestamp" || name === "created_at") return { ms: at };
        return name === "type" ? { oneOf: [kind] } : undefined;
      };
      return JSON.stringify(write(root, { lookup, format, content: { at: DATA, value } }));
    },
    retryDelaysMs: schedule.length > 0 ? schedule : ASSUMED_SERIALIZER.retryDelaysMs,
    deliveryHeaders: (attempt) => ({
      ...deliveryHeadersLike(profile.deliveries, attempt, timestamp),
      "x-service-signature": prefix + attempt.signature,
    }),
  };
}

function writeData(
  learned: Learned,
  { data, isDocumented }: Omit<EventTemplate, "root">,
  kind: string,
  record: EventRecord,
): unknown {
  const assumed = eventData(kind, record);
  if (data === undefined || "subscription_id" in record) return assumed;
  const resource = resourceOf(kind);
  if (!isDocumented) return writeRecord(learned, resource, record, data);
  const fields = data.fields.filter(({ key }) => key in assumed);
  return { ...assumed, ...Object(writeRecord(learned, resource, record, { ...data, fields })) };
}
