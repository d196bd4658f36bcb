import { fillPath } from "../../client/http/url.ts";
import { isObject } from "../../internal/is-object.ts";
import {
  type CreatedKind,
  findField,
  findMarkedIds,
  findPossibleIds,
  hasMark,
} from "./find-fields.ts";
import { type Client, isSuccess, type Outgoing, type Received } from "./http.ts";

/** Something that the probe created, or may have created. */
interface Created {
  readonly kind: CreatedKind;
  /** What the service may call it, the likeliest first. */
  ids: string[];
  /** Whether the ids are surely its own. */
  isSure: boolean;
  /** Whether the service reported that it was created. Otherwise only a list can tell. */
  isKnown: boolean;
}

/** A status of something in a list that was deleted. */
const GONE = /delet|void|cancel|archiv|inactive|removed/i;

/** Whether a list still shows the resource with the mark, and not as deleted. */
export function isListed(list: unknown, mark: string): boolean {
  if (Array.isArray(list)) return list.some((item) => isListed(item, mark));
  if (!isObject(list)) return false;
  const values = Object.values(list);
  if (!values.includes(mark)) return values.some((value) => isListed(value, mark));
  return !GONE.test(String(list.status ?? "")) && list.deleted_at == null;
}

const pathOf = (kind: CreatedKind, id: string) => fillPath("probe", `/${kind}s/{id}`, [id]);

/** Everything that the probe created at the service and has to delete again. */
export class CreatedResources {
  readonly #client: Client;
  /** The name or the description of what this probe creates. Nothing else has it. */
  readonly mark = `malipo probe ${globalThis.crypto.randomUUID().slice(0, 8)}`;
  readonly #all = new Map<CreatedKind, Created>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The id of a resource that surely is its own. */
  idOf(kind: CreatedKind): string | undefined {
    const created = this.#all.get(kind);
    return created?.isSure ? created.ids[0] : undefined;
  }

  /**
   * Creates a resource. Neither Ctrl-C nor a lost response makes the probe forget it.
   *
   * @throws {ProbeError} as `Client.send` does.
   */
  async create(kind: CreatedKind, outgoing: Outgoing): Promise<Received> {
    const created: Created = { kind, ids: [], isSure: false, isKnown: false };
    this.#all.set(kind, created);
    const received = await this.#client.send(outgoing, "write");
    if (isSuccess(received)) await this.#identify(created, received);
    else if (received.status < 500) this.#all.delete(kind);
    return received;
  }

  async #identify(created: Created, { json }: Received): Promise<void> {
    const { kind } = created;
    const own = findMarkedIds(json, kind, this.mark);
    created.isKnown = true;
    created.isSure = own.length > 0;
    created.ids = created.isSure ? own : findPossibleIds(json, kind);
    if (created.isSure) return;
    for (const id of kind === "invoice" ? created.ids : []) {
      const received = await this.#client.ask("GET", pathOf(kind, id));
      if (received !== undefined && this.#shows(created, received)) {
        Object.assign(created, { ids: [id], isSure: true });
        return;
      }
    }
    await this.#findInList(created);
  }

  /** Whether a response shows the resource. An id that is not sure may be that of another one. */
  #shows({ isSure, ids }: Created, received: Received): boolean {
    if (!isSuccess(received)) return false;
    if (hasMark(received.json, this.mark)) return true;
    return (isSure || ids.length === 1) && findField(received.json, "description") === undefined;
  }

  /** Looks for the resource in the list: by its mark, or by its only possible id. */
  async #findInList(created: Created): Promise<void> {
    const { kind, ids } = created;
    const json = (await this.#client.ask("GET", `/${kind}s`))?.json;
    const marked = findMarkedIds(json, kind, this.mark);
    if (marked.length > 0) {
      Object.assign(created, { ids: marked, isSure: true, isKnown: true });
      return;
    }
    // Every item that has a name has another one. Only a list without names may still hold it.
    const isNamed = findField(json, "name") ?? findField(json, "description");
    const [only = "", ...others] = ids;
    const isOnly = others.length === 0 && findPossibleIds(json, kind).includes(only);
    if (isOnly && isNamed === undefined) created.isSure = true;
  }

  /** Sends a request with each of the ids of a resource, until the service accepts one. */
  async confirm(kind: CreatedKind, send: () => Promise<Received>): Promise<Received> {
    const created = this.#all.get(kind);
    for (let left = created?.ids.length ?? 0; ; left--) {
      const received = await send();
      if (created === undefined) return received;
      const isOwn = this.#shows(created, received);
      if (isOwn) created.ids.length = 1;
      if (isOwn || left <= 1) return received;
      created.ids.push(...created.ids.splice(0, 1));
    }
  }

  /**
   * Deletes everything, and does not throw.
   *
   * @returns What is left at the service, in words.
   */
  async deleteAll(onDeletion: (kind: CreatedKind, id: string, received: Received) => void) {
    const left: string[] = [];
    for (const [kind, created] of this.#all) {
      this.#all.delete(kind);
      const reason = await this.#delete(created, (id, received) => onDeletion(kind, id, received));
      if (reason === undefined) continue;
      const [id] = created.ids;
      left.push(`the ${kind} ${id === undefined ? "" : `${id} `}("${this.mark}"): ${reason}`);
    }
    return left;
  }

  /** @returns Why the resource is still there; `undefined` if it is gone. */
  async #delete(
    created: Created,
    onDeletion: (id: string, received: Received) => void,
  ): Promise<string | undefined> {
    const { kind } = created;
    if (!created.isSure) await this.#findInList(created);
    if (!created.isSure) {
      return created.isKnown ? "the service did not return its id" : undefined;
    }
    let reason = "";
    for (const id of created.ids) {
      const received = await this.#client.ask("DELETE", pathOf(kind, id));
      if (received === undefined) return "there was no response to its deletion";
      if (!isSuccess(received)) {
        reason ||= `the service returned ${received.status} to its deletion`;
        // If another id is the right one, this one tells nothing.
        if (created.ids.length === 1) onDeletion(id, received);
        continue;
      }
      const list = await this.#client.ask("GET", `/${kind}s`);
      if (isListed(list?.json, this.mark)) {
        reason = "the service still lists it after its deletion";
        continue;
      }
      created.ids = [id];
      onDeletion(id, received);
      return undefined;
    }
    return reason;
  }
}
