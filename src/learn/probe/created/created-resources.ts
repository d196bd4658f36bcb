import { ProbeError } from "../../../errors/probe.ts";
import { isSuccess } from "../classify.ts";
import type { Client } from "../http/client.ts";
import type { Outgoing, Received } from "../http/exchange.ts";
import {
  type Ask,
  type Created,
  confirmInvoice,
  deleteCreated,
  findInList,
  noteResponse,
} from "./created.ts";
import type { CreatedKind } from "./find-ids.ts";

const PAUSES_MS = [1_000, 2_000, 4_000];

/** Everything that the probe created at the service and has to delete again. */
export class CreatedResources {
  readonly #client: Client;
  readonly #resources: Created[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a resource. Neither Ctrl-C nor a lost response makes the probe forget it.
   *
   * @throws {ProbeError} as `Client.send` does.
   */
  async create(resource: CreatedKind, mark: string, outgoing: Outgoing): Promise<Received> {
    const created: Created = { resource, mark, ids: [], isSure: false, isKnown: false };
    this.#resources.push(created);
    const received = await this.#client.send(outgoing, { signal: undefined, isRead: false });
    if (isSuccess(received)) noteResponse(created, received);
    else if (received.status < 500) this.#resources.splice(this.#resources.indexOf(created), 1);
    // The list shows the id if the response does not.
    if (created.isKnown && !created.isSure) await this.#find(created);
    return received;
  }

  async #find(created: Created): Promise<void> {
    if (created.resource === "invoice") await confirmInvoice(created, this.#ask);
    if (!created.isSure) await findInList(created, this.#ask);
  }

  /** The id of a resource that surely is its own. */
  idOf(resource: CreatedKind): string | undefined {
    const created = this.#resources.find((one) => one.resource === resource);
    return created?.isSure ? created.ids[0] : undefined;
  }

  /** Reads the invoice, by the first of its ids that the service accepts. */
  async confirm(): Promise<Received | undefined> {
    const created = this.#resources.find((one) => one.resource === "invoice");
    return created && confirmInvoice(created, this.#ask);
  }

  /** How many ids the resource may have. */
  countIds(resource: CreatedKind): number {
    return this.#resources.find((one) => one.resource === resource)?.ids.length ?? 0;
  }

  /** Puts another of the possible ids first, if the service does not accept this one. */
  tryNextId(resource: CreatedKind): void {
    const ids = this.#resources.find((one) => one.resource === resource)?.ids;
    ids?.push(...ids.splice(0, 1));
  }

  /**
   * Deletes everything, and does not throw.
   *
   * @returns What is left at the service, in words.
   */
  async deleteAll(onDeletion: (resource: CreatedKind, id: string, received: Received) => void) {
    const left: string[] = [];
    for (const created of this.#resources.splice(0)) {
      const { resource, mark } = created;
      const reason = await deleteCreated(created, this.#ask, (id, received) =>
        onDeletion(resource, id, received),
      );
      if (reason === undefined) continue;
      const [id] = created.ids;
      left.push(`the ${resource} ${id === undefined ? "" : `${id} `}("${mark}"): ${reason}`);
    }
    return left;
  }

  /** Sends a request, several times if there is no response, and never throws. */
  readonly #ask: Ask = async (method, path) => {
    const key = this.#client.keyOf({ key: "own" });
    const query = new URLSearchParams();
    const outgoing = { method, path, query, key, body: undefined, origin: undefined };
    let received: Received | undefined;
    for (const pauseMs of PAUSES_MS) {
      try {
        received = await this.#client.send(outgoing, { signal: undefined, isRead: true });
        if (received.status < 500) return received;
      } catch (error) {
        const isBroken = error instanceof ProbeError && error.code === "unreachable";
        if (!isBroken && !isStorm(error)) return received;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return received;
  };
}

const isStorm = (error: unknown) => error instanceof ProbeError && error.code === "service_error";
