import { total } from "../../../profile/counts.ts";
import { findSchedule, findSignaturePrefix } from "../../../profile/read.ts";
import type { HeaderShape } from "../../../profile/types.ts";
import type { EventRecord } from "../../state/stored.ts";
import { ASSUMED_SERIALIZER, eventData } from "../assumed.ts";
import type { Serializer } from "../serializer.ts";
import { placeholderText } from "./placeholder.ts";
import { type Learned, writeRecord } from "./responses.ts";
import { type Place, placeAt, toTree } from "./shape-tree.ts";
import { choice, sent, time } from "./values.ts";
import { type Lookup, write } from "./write.ts";

/** The field of a delivery that the interface documents, and that holds the payment or the invoice. */
const DATA = "data";

const isInvoice = (kind: string) => kind.startsWith("invoice.");

/** The events whose payload the interface shows. */
const DOCUMENTED = ["payment.completed", "payment.failed"];

/** Writes events, and makes deliveries, as they were learned. */
export function learnedDeliveries(
  learned: Learned,
): Pick<Serializer, "event" | "deliveryHeaders" | "retryDelaysMs"> {
  const { profile } = learned;
  const schedule = findSchedule(profile);
  const prefix = findSignaturePrefix(profile) ?? "";
  const { seen, headers } = profile.deliveries;
  const usual = Object.entries(headers).filter(
    ([name, shape]) => !OF_TRANSPORT.test(name) && total(shape.seen) * 2 >= total(seen),
  );
  return {
    event: writeEvents(learned),
    retryDelaysMs: schedule.length > 0 ? schedule : ASSUMED_SERIALIZER.retryDelaysMs,
    deliveryHeaders: ({ delivery, tries, now, signature }) => {
      const values = {
        event: delivery.event,
        tries,
        now,
        seed: `${delivery.id} ${tries}`,
        learned,
      };
      const own = usual.map(([name, shape]) => [name, headerValue(name, shape, values)]);
      return { ...Object.fromEntries(own), "x-service-signature": prefix + signature };
    },
  };
}

/** Headers that a client or a server on the way adds, and those that the sandbox sends anyway. */
const OF_TRANSPORT =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept.*|cookie|expect|x-service-signature|x-sandbox-.*|x-forwarded-.*|x-real-ip|forwarded|via|sec-.*|cf-.*|priority)$/;

interface HeaderValues {
  readonly event: string;
  readonly tries: number;
  readonly now: number;
  readonly seed: string;
  readonly learned: Learned;
}

function headerValue(
  name: string,
  { formats = [], values }: HeaderShape,
  { event, tries, now, seed, learned }: HeaderValues,
): string {
  const [format = "token"] = formats;
  if (/time|date/.test(name)) {
    if (formats.includes("digits13")) return String(now);
    return format.startsWith("digits")
      ? String(Math.floor(now / 1000))
      : learned.format.timestamp(now);
  }
  if (/attempt|retry|redeliver|tries/.test(name) && format.startsWith("digits")) {
    return String(/retry|redeliver/.test(name) ? tries - 1 : tries);
  }
  if (/(?:event|topic|type)$/.test(name) && format === "token") return event;
  return values?.[0] ?? placeholderText(format, name, seed);
}

const counted = (type: string) => ({ types: { [type]: { "00000000": 1 } } });

/** The event as the interface documents it, if none was seen. */
const DOCUMENTED_EVENT = toTree({
  $: counted("object"),
  event: counted("string"),
  timestamp: counted("string"),
  data: counted("object"),
}) as Place;

interface EventTemplate {
  readonly root: Place;
  /** The payment or the invoice. */
  readonly data: Place | undefined;
  /** Only these fields of it. `undefined`: all. */
  readonly isDocumented: boolean;
}

function findTemplate({ profile, templates }: Learned, kind: string): EventTemplate {
  const own = profile.events[kind];
  const [other] = Object.values(profile.events);
  const root = toTree((own ?? other)?.body ?? {}) ?? DOCUMENTED_EVENT;
  if (own !== undefined) return { root, data: placeAt(root, DATA), isDocumented: false };
  const data = templates.resourceOf(
    isInvoice(kind) ? ["invoices.get", "invoices.create"] : ["payments.get"],
  );
  return { root, data, isDocumented: DOCUMENTED.includes(kind) };
}

function writeEvents(learned: Learned): Serializer["event"] {
  const templates = new Map<string, EventTemplate>();
  return (kind, at, record) => {
    const template = templates.get(kind) ?? findTemplate(learned, kind);
    templates.set(kind, template);
    const lookup: Lookup = ({ name }) => {
      if (name === "event") return sent(kind);
      if (name === "timestamp" || name === "created_at") return time(at);
      return name === "type" ? choice(kind) : undefined;
    };
    const contents = new Map([[DATA, () => writeData(learned, template, kind, record)]]);
    return JSON.stringify(write(template.root, { lookup, format: learned.format, contents }));
  };
}

function writeData(
  learned: Learned,
  { data, isDocumented }: EventTemplate,
  kind: string,
  record: EventRecord,
): unknown {
  const assumed = eventData(kind, record);
  if (data === undefined || "subscription_id" in record) return assumed;
  const names = Object.keys(assumed);
  const fields = data.fields.filter(({ key }) => !isDocumented || names.includes(key));
  const resource = isInvoice(kind) ? "invoice" : "payment";
  const own = writeRecord(learned, resource, record, { ...data, fields });
  return isDocumented ? { ...assumed, ...Object(own) } : own;
}
