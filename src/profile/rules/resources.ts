import { childrenOf, fieldPath, findListPath, findResourcePath, itemPath } from "../paths.ts";
import { findSuccess } from "../read.ts";
import type { FieldShape, ServiceProfile, Shape } from "../types.ts";

/** A resource as an endpoint returns it, or an item of a list. */
export interface ResourceSeen {
  readonly shape: Shape;
  /** Where the resource stands. */
  readonly path: string;
  /** How often it was seen. */
  readonly seen: number;
  /** Its fields, by name. */
  readonly fields: Readonly<Record<string, FieldShape>>;
}

/** How often a place held something of a type, in all runs. */
export const timesOf = (field: FieldShape | undefined, type?: string): number =>
  Object.entries(field?.types ?? {})
    .filter(([name]) => type === undefined || name === type)
    .flatMap(([, counts]) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0);

/** The resource at a place of a shape. `undefined`: there was no object. */
export function resourceAt(shape: Shape, path: string): ResourceSeen | undefined {
  const seen = timesOf(shape[path], "object");
  if (seen === 0) return undefined;
  const names = childrenOf(shape, path);
  const fields = names.map((name) => [name, shape[fieldPath(path, name)] as FieldShape] as const);
  return { shape, path, seen, fields: Object.fromEntries(fields) };
}

/** The resource in the usual success of an endpoint. For a list: its items. */
export function resourceOf(profile: ServiceProfile, endpoint: string): ResourceSeen | undefined {
  const body = findSuccess(profile, endpoint)?.response.body;
  if (body === undefined) return undefined;
  if (!LISTS.includes(endpoint)) return resourceAt(body, findResourcePath(body));
  const list = findListPath(body);
  return list === undefined ? undefined : resourceAt(body, itemPath(list));
}

/** The endpoints whose response is a list. */
export const LISTS: readonly string[] = [
  "GET /merchant/payment-accounts",
  "GET /payments",
  "GET /webhooks",
  "GET /invoices",
];

/** The resources of several endpoints that were seen. */
export const resourcesOf = (
  profile: ServiceProfile,
  endpoints: readonly string[],
): ResourceSeen[] =>
  endpoints.flatMap((endpoint) => {
    const resource = resourceOf(profile, endpoint);
    return resource === undefined ? [] : [resource];
  });

/** The names of the fields of several resources. */
export const namesOf = (resources: readonly ResourceSeen[]): Set<string> =>
  new Set(resources.flatMap(({ fields }) => Object.keys(fields)));

export const PAYMENT_ENDPOINTS = [
  "GET /payments/{reference}",
  "GET /payments",
  "POST /mobile-money/payment/status",
] as const;

export const INVOICE_ENDPOINTS = [
  "POST /invoices",
  "GET /invoices/{invoice}",
  "PUT /invoices/{invoice}",
  "GET /invoices",
] as const;

export const WEBHOOK_ENDPOINTS = [
  "POST /webhooks/register",
  "PUT /webhooks/{id}",
  "GET /webhooks",
] as const;
