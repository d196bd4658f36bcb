import { ENDPOINTS } from "../../contract/endpoints.ts";
import { total } from "../counts.ts";
import { childrenOf, findListPath, findResourcePath, itemPath, ROOT, shapeAt } from "../paths.ts";
import { findSuccess } from "../read.ts";
import type { FieldShape, ServiceProfile, Shape } from "../types.ts";

/** A resource as an endpoint returns it, or an item of a list. */
export interface SeenResource {
  /** How often it was seen. */
  readonly seen: number;
  /** Its fields, by name. */
  readonly fields: Readonly<Record<string, FieldShape>>;
}

/** How often a place held something of a type, in all runs. */
export const timesOf = (field: FieldShape | undefined, type?: string): number =>
  Object.entries(field?.types ?? {})
    .filter(([name]) => type === undefined || name === type)
    .reduce((sum, [, counts]) => sum + total(counts), 0);

/** The resource at a place of a body. */
export function resourceAt(body: Shape, path: string): SeenResource | undefined {
  const shape = shapeAt(body, path);
  const seen = timesOf(shape[ROOT], "object");
  const names = childrenOf(shape, ROOT);
  const fields = Object.fromEntries(names.map((name) => [name, shape[name] as FieldShape]));
  return seen === 0 ? undefined : { seen, fields };
}

/** The endpoints whose response is a list. */
export const LISTS: readonly string[] = Object.values(ENDPOINTS).flatMap((endpoint) =>
  "list" in endpoint ? [`${endpoint.method} ${endpoint.path}`] : [],
);

/** The resources in the usual success of some endpoints; of a list its items. */
export const resourcesOf = (
  profile: ServiceProfile,
  endpoints: readonly string[],
): SeenResource[] =>
  endpoints.flatMap((endpoint) => {
    const { body = {} } = findSuccess(profile, endpoint)?.response ?? {};
    const list = LISTS.includes(endpoint) ? (findListPath(body) ?? "") : undefined;
    return resourceAt(body, list === undefined ? findResourcePath(body) : itemPath(list)) ?? [];
  });

/** The names of the fields of several resources. */
export const namesOf = (resources: readonly SeenResource[]): string[] => [
  ...new Set(resources.flatMap(({ fields }) => Object.keys(fields))),
];

/** Where a resource is returned, and what identifies it. */
interface ResourceRow {
  readonly what: string;
  readonly endpoints: readonly string[];
  /** The name of its id in the sandbox, then other names under which services have it. */
  readonly ids: readonly [assumed: string, ...others: string[]];
  readonly idKind: string;
}

const row = (
  what: string,
  idKind: string,
  ids: ResourceRow["ids"],
  endpoints: readonly string[],
): ResourceRow => ({ what, endpoints, ids, idKind });

export const RESOURCES = {
  invoice: row(
    "an invoice",
    "a word",
    ["id", "invoice_id", "uuid", "invoice"],
    [...["POST /invoices", "GET /invoices/{invoice}", "PUT /invoices/{invoice}", "GET /invoices"]],
  ),
  webhook: row(
    "a webhook",
    "a word",
    ["id", "webhook_id", "uuid", "webhook"],
    [...["POST /webhooks/register", "PUT /webhooks/{id}", "GET /webhooks"]],
  ),
  account: row(
    "a payment account",
    "a whole number",
    ["payment_account_id", "id", "account_id", "uuid"],
    ["GET /merchant/payment-accounts"],
  ),
  payment: row(
    "a payment",
    "a word",
    ["reference", "payment_reference", "uuid"],
    [...["GET /payments/{reference}", "GET /payments", "POST /mobile-money/payment/status"]],
  ),
  initiation: row(
    "a payment",
    "a word",
    ["reference", "payment_reference", "uuid"],
    [...["POST /mobile-money/payment/initiate", "POST /payments/initiate"]],
  ),
} as const;
