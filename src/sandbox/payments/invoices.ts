import { ASSUMPTIONS } from "../assumptions.ts";
import type { StoredInvoice, StoredPayment } from "../state/records.ts";
import type { World } from "../world.ts";

/** The fields that the merchant sent for an invoice, checked. */
export interface InvoiceChange {
  readonly cents?: number | undefined;
  readonly dueAt?: number | undefined;
  readonly fields: Record<string, unknown>;
}

export function createInvoice(
  world: World,
  { cents, dueAt, fields }: InvoiceChange,
): StoredInvoice {
  const createdAt = world.clock.ms();
  const invoice: StoredInvoice = {
    id: world.speech.newId("invoice", world.state),
    number: `INV-${String(world.state.nextInvoice++).padStart(4, "0")}`,
    status: "draft",
    dueAt: dueAt ?? createdAt + ASSUMPTIONS.invoices.value,
    createdAt,
    fields,
    ...(cents === undefined ? {} : { cents }),
  };
  world.state.invoices.push(invoice);
  world.emit("invoice.created", invoice);
  return invoice;
}

export function changeInvoice(world: World, invoice: StoredInvoice, change: InvoiceChange): void {
  if (change.cents !== undefined) invoice.cents = change.cents;
  Object.assign(invoice.fields, change.fields);
  if (change.dueAt === undefined) return;
  invoice.dueAt = change.dueAt;
  // With a later due date, an overdue invoice is no longer overdue.
  if (invoice.status === "overdue" && invoice.dueAt > world.clock.ms()) invoice.status = "sent";
  if (invoice.status === "sent") scheduleOverdue(world, invoice);
}

export function sendInvoice(world: World, invoice: StoredInvoice): void {
  if (invoice.status !== "draft") return;
  invoice.status = "sent";
  scheduleOverdue(world, invoice);
}

function scheduleOverdue(world: World, { id, dueAt }: StoredInvoice): void {
  const inMs = dueAt - world.clock.ms();
  if (inMs <= 0) makeOverdue(world, id);
  else world.clock.schedule(inMs, { kind: "overdue", invoice: id });
}

/** Marks an invoice overdue, unless it was paid or its due date was moved. */
export function makeOverdue(world: World, id: string): void {
  const invoice = world.state.invoices.find((one) => one.id === id);
  if (invoice?.status !== "sent" || invoice.dueAt > world.clock.ms()) return;
  invoice.status = "overdue";
  world.emit("invoice.overdue", invoice);
}

export function markPaid(world: World, invoice: StoredInvoice): void {
  if (invoice.status === "paid") return;
  invoice.status = "paid";
  world.emit("invoice.paid", invoice);
}

/** A payment whose account reference is an invoice's number pays it, if the amount is enough. */
export function payInvoice(world: World, { account_reference, cents }: StoredPayment): void {
  const invoice = world.state.invoices.find(({ number }) => number === account_reference);
  if (invoice !== undefined && cents >= (invoice.cents ?? 0)) markPaid(world, invoice);
}
