import { findCursor, findField, firstId, referencesByStatus } from "./created/find-ids.ts";
import type { Received } from "./http/exchange.ts";
import type { Body, Step, ValueName } from "./steps/step.ts";
import { unknownIdLike } from "./unknown-id.ts";

/** How a value is found in the body of a response. */
const FINDERS: Readonly<Partial<Record<ValueName, (body: unknown) => string | undefined>>> = {
  payment: (body) => findField(body, "reference"),
  otherPayment1: (body) => referencesByStatus(body)[1],
  otherPayment2: (body) => referencesByStatus(body)[2],
  otherPayment3: (body) => referencesByStatus(body)[3],
  unknownPayment: (body) => unknownIdLike(findField(body, "reference")),
  invoice: (body) => firstId(body, "invoice"),
  unknownInvoice: (body) => unknownIdLike(firstId(body, "invoice")),
  unknownWebhook: (body) => unknownIdLike(firstId(body, "webhook")),
  cursor: findCursor,
  startedPayment: (body) => findField(body, "reference"),
  startedCheckout: (body) => findField(body, "checkout_request_id"),
};

/** A step with its values filled in. */
export interface Request {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
}

const PLACE = /\{(\w+)\}/g;

/** What the probe knows at this moment, for the requests that are still to come. */
export class Values {
  readonly #values = new Map<ValueName, string>();

  get(name: ValueName): string | undefined {
    return this.#values.get(name);
  }

  set(name: ValueName, value: string | undefined): void {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }

  /** Takes what a response provides to later steps. */
  learn({ provides = [] }: Step, { json }: Received): void {
    for (const name of provides) this.set(name, FINDERS[name]?.(json));
  }

  /** The value that a step needs and that is not known; `undefined` if nothing is missing. */
  missing({ path, query = {}, body = {} }: Step): ValueName | undefined {
    return [path, ...Object.entries(query).flat(), JSON.stringify(body)]
      .flatMap((text) => [...text.matchAll(PLACE)])
      .map(([, name]) => name as ValueName)
      .find((name) => !this.#values.has(name));
  }

  /** The request of a step. Nothing may be missing. */
  fill({ path, query = {}, body, text }: Step): Request {
    return {
      // `readable` is a path, and every other value is one segment of it.
      path: path.replace(PLACE, (_, name) => this.#segment(name as ValueName)),
      query: new URLSearchParams(Object.entries(query).map((pair) => pair.map(this.#text))),
      body: text ?? (body && JSON.stringify(this.#fillBody(body))),
    };
  }

  #segment(name: ValueName): string {
    const value = this.#values.get(name) ?? "";
    return name === "readable" ? value : encodeURIComponent(value);
  }

  readonly #text = (text: string): string =>
    text.replace(PLACE, (_, name) => this.#values.get(name as ValueName) ?? "");

  #fillBody(body: Body): object {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        typeof value === "string" ? this.#text(value) : value,
      ]),
    );
  }
}
