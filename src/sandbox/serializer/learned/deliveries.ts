import { total } from "../../../profile/counts.ts";
import { findSchedule, findSignaturePrefix } from "../../../profile/read.ts";
import type { HeaderShape } from "../../../profile/types.ts";
import { ASSUMED_SPEECH, eventData } from "../assumed.ts";
import type { Speech } from "../serializer.ts";
import { madeUpText } from "./placeholder.ts";
import type { Learned } from "./responses.ts";
import { sayRecord } from "./responses.ts";
import { type Place, placeAt, toTree } from "./shape-tree.ts";
import { choice, moment, value } from "./values.ts";
import { type Lookup, say } from "./write.ts";

/** The field of a delivery that the interface documents, and that holds the payment or the invoice. */
const DATA = "data";

const isInvoice = (kind: string) => kind.startsWith("invoice.");

/** The events whose payload the interface shows. */
const DOCUMENTED = ["payment.completed", "payment.failed"];

/** Says events, and makes deliveries, as they were learned. */
export function learnedDeliveries(
  learned: Learned,
): Pick<Speech, "event" | "deliveryHeaders" | "retryDelaysMs"> {
  const schedule = findSchedule(learned.profile);
  const prefix = findSignaturePrefix(learned.profile) ?? "";
  const headers = usualHeaders(learned);
  return {
    event: sayEvents(learned),
    retryDelaysMs: schedule.length > 0 ? schedule : ASSUMED_SPEECH.retryDelaysMs,
    deliveryHeaders: ({ delivery, tries, now, signature }) => {
      const said: Record<string, string> = {};
      for (const [name, shape] of headers) {
        const seed = `${delivery.id} ${tries}`;
        said[name] = sayHeader(name, shape, { event: delivery.event, tries, now, seed, learned });
      }
      return { ...said, "x-service-signature": prefix + signature };
    },
  };
}

/** Headers that a client or a server on the way adds, and those that the sandbox sends anyway. */
const OF_TRANSPORT =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept.*|cookie|expect|x-service-signature|x-sandbox-.*|x-forwarded-.*|x-real-ip|forwarded|via|sec-.*|cf-.*|priority)$/;

function usualHeaders({ profile }: Learned): [name: string, shape: HeaderShape][] {
  const { seen, headers } = profile.deliveries;
  return Object.entries(headers).filter(
    ([name, shape]) => !OF_TRANSPORT.test(name) && total(shape.seen) * 2 >= total(seen),
  );
}

interface HeaderFacts {
  readonly event: string;
  readonly tries: number;
  readonly now: number;
  readonly seed: string;
  readonly learned: Learned;
}

function sayHeader(
  name: string,
  { formats = [], values }: HeaderShape,
  facts: HeaderFacts,
): string {
  const { event, tries, now, seed, learned } = facts;
  const [format = "token"] = formats;
  if (/time|date/.test(name)) {
    if (formats.includes("digits13")) return String(now);
    return format.startsWith("digits")
      ? String(Math.floor(now / 1000))
      : learned.manner.timestamp(now);
  }
  if (/attempt|retry|redeliver|tries/.test(name) && format.startsWith("digits")) {
    return String(/retry|redeliver/.test(name) ? tries - 1 : tries);
  }
  if (/(?:event|topic|type)$/.test(name) && format === "token") return event;
  return values?.[0] ?? madeUpText(format, name, seed);
}

const counted = (type: string) => ({ types: { [type]: { "00000000": 1 } } });

/** The event as the interface documents it, if none was seen. */
const DOCUMENTED_EVENT = toTree({
  $: counted("object"),
  event: counted("string"),
  timestamp: counted("string"),
  data: counted("object"),
});

interface EventTemplate {
  readonly root: Place;
  readonly data: Place | undefined;
}

function sayEvents(learned: Learned): Speech["event"] {
  const { profile, templates, manner } = learned;
  const known = new Map<string, EventTemplate | undefined>();
  const find = (kind: string): EventTemplate | undefined => {
    const own = profile.events[kind];
    const [other] = Object.values(profile.events);
    const root = toTree((own ?? other)?.body ?? {}) ?? DOCUMENTED_EVENT;
    if (root === undefined) return undefined;
    if (own !== undefined) return { root, data: placeAt(root, DATA) };
    const names = isInvoice(kind)
      ? (["invoices.get", "invoices.create"] as const)
      : (["payments.get"] as const);
    return { root, data: DOCUMENTED.includes(kind) ? undefined : templates.resourceOf(names) };
  };
  return (kind, at, record) => {
    if (!known.has(kind)) known.set(kind, find(kind));
    const template = known.get(kind);
    if (template === undefined) return ASSUMED_SPEECH.event(kind, at, record);
    const { root, data } = template;
    const envelope: Lookup = ({ name }) => {
      if (name === "event") return value(kind);
      if (name === "timestamp" || name === "created_at") return moment(at);
      return name === "type" ? choice(kind) : undefined;
    };
    const content = () =>
      data === undefined || "subscription_id" in record
        ? eventData(kind, record)
        : sayRecord(isInvoice(kind) ? "invoice" : "payment", record, data, envelope, manner);
    return JSON.stringify(say(root, envelope, manner, new Map([[DATA, content]])));
  };
}
