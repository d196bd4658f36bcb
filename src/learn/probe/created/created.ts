import { isObject } from "../../../internal/is-object.ts";
import { isSuccess } from "../classify.ts";
import type { Received } from "../http/exchange.ts";
import {
  type CreatedKind,
  findField,
  findMarkedIds,
  findPossibleIds,
  hasMark,
} from "./find-ids.ts";

/** Something that the probe created, or may have created. */
export interface Created {
  readonly resource: CreatedKind;
  readonly mark: string;
  /** What the service may call it, the likeliest first. */
  ids: string[];
  /** Whether the ids are surely its own. */
  isSure: boolean;
  /** Whether the service reported that it was created. Otherwise only a list can tell. */
  isKnown: boolean;
}

/** The path of each resource at the service. */
const PATHS: Readonly<Record<CreatedKind, string>> = {
  invoice: "/invoices",
  webhook: "/webhooks",
};

const pathOf = (resource: CreatedKind, id: string): string =>
  `${PATHS[resource]}/${encodeURIComponent(id)}`;

/** Takes the ids from the response to a creation. */
export function noteResponse(created: Created, { json }: Received): void {
  const own = findMarkedIds(json, created.resource, created.mark);
  created.ids = own.length > 0 ? own : findPossibleIds(json, created.resource);
  created.isSure = own.length > 0;
  created.isKnown = true;
}

/** A status of something in a list that was deleted. */
const GONE = /delet|void|cancel|archiv|inactive|removed/i;

/** Whether a list still shows the resource, and not as deleted. */
export function isListed(list: unknown, mark: string): boolean {
  if (Array.isArray(list)) return list.some((item) => isListed(item, mark));
  if (!isObject(list)) return false;
  const values = Object.values(list);
  if (values.includes(mark)) {
    const isGone = GONE.test(String(list.status ?? "")) || list.deleted_at != null;
    return !isGone;
  }
  return values.some((value) => isListed(value, mark));
}

/** Sends a request of the cleaning up, and waits as the probe does. `undefined`: no response. */
export type Ask = (method: "GET" | "DELETE", path: string) => Promise<Received | undefined>;

/** Whether a body describes another resource: it has a description, and not the mark. */
const isOther = (body: unknown, mark: string): boolean =>
  !hasMark(body, mark) && findField(body, "description") !== undefined;

/**
 * Finds out which of the ids the service accepts in a path, by reading the invoice, and resolves with
 * the response. If the response to the creation did not repeat the mark, an id in it may be that of
 * another invoice: then only a response with the mark counts.
 */
export async function confirmInvoice(created: Created, ask: Ask): Promise<Received | undefined> {
  for (const id of created.ids) {
    const received = await ask("GET", pathOf("invoice", id));
    if (received === undefined || !isSuccess(received)) continue;
    const isOnly = created.isSure || created.ids.length === 1;
    const isOwn = isOnly && !isOther(received.json, created.mark);
    if (!isOwn && !hasMark(received.json, created.mark)) continue;
    Object.assign(created, { ids: [id], isSure: true });
    return received;
  }
  return undefined;
}

/** Looks for the resource in the list: by its mark, or by its only possible id. */
export async function findInList(created: Created, ask: Ask): Promise<void> {
  const { resource, mark, ids } = created;
  const received = await ask("GET", PATHS[resource]);
  const marked = findMarkedIds(received?.json, resource, mark);
  if (marked.length > 0) {
    Object.assign(created, { ids: marked, isSure: true, isKnown: true });
    return;
  }
  // Every item that has a name has another one. Only a list without names may still hold it.
  const isNamed = findField(received?.json, "name") ?? findField(received?.json, "description");
  const [only = ""] = ids;
  const isListed = findPossibleIds(received?.json, resource).includes(only);
  if (ids.length === 1 && isListed && isNamed === undefined) created.isSure = true;
}

/**
 * Deletes a resource.
 *
 * @param onDeletion - Gets each response to a DELETE, and whether it was for the resource.
 * @returns Why it is still there; `undefined` if it is gone.
 */
export async function deleteCreated(
  created: Created,
  ask: Ask,
  onDeletion: (id: string, received: Received) => void,
): Promise<string | undefined> {
  if (!created.isSure) await findInList(created, ask);
  if (!created.isSure) {
    const reason = "the service did not return its id";
    return created.isKnown ? reason : undefined;
  }
  let reason = "";
  for (const id of created.ids) {
    const received = await ask("DELETE", pathOf(created.resource, id));
    if (received === undefined) return "there was no response to its deletion";
    if (!isSuccess(received)) {
      reason ||= `the service returned ${received.status} to its deletion`;
      // If another id is the right one, this one tells nothing.
      if (created.ids.length === 1) onDeletion(id, received);
      continue;
    }
    const list = await ask("GET", PATHS[created.resource]);
    if (isListed(list?.json, created.mark)) {
      reason = "the service still lists it after its deletion";
      continue;
    }
    created.ids = [id];
    onDeletion(id, received);
    return undefined;
  }
  return reason;
}
