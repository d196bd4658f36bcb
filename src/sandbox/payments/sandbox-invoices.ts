import { ASSUMPTIONS } from "../assumptions.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { StoredInvoice, StoredPayment } from "../state/stored.ts";

/** The fields that the merchant sent for an invoice, checked. */
export interface InvoiceChange {
  readonly cents?: number | undefined;
  readonly dueAt?: number | undefined;
  readonly fields: Record<string, unknown>;
}

export function createInvoice(
  sandboxState: SandboxState,
  { cents, dueAt, fields }: InvoiceChange,
): StoredInvoice {
  const createdAt = sandboxState.clock.ms();
  const invoice: StoredInvoice = {
    id: sandboxState.serializer.newId("invoice", sandboxState.state),
    number: `INV-${String(sandboxState.state.nextInvoice++).padStart(4, "0")}`,
    status: "draft",
    dueAt: dueAt ?? createdAt + ASSUMPTIONS.invoices.value,
    createdAt,
    fields,
    ...(cents === undefined ? {} : { cents }),
  };
  sandboxState.state.invoices.push(invoice);
  sandboxState.deliveries.emit("invoice.created", invoice);
  return invoice;
}

export function changeInvoice(
  sandboxState: SandboxState,
  invoice: StoredInvoice,
  change: InvoiceChange,
): void {
  if (change.cents !== undefined) invoice.cents = change.cents;
  Object.assign(invoice.fields, change.fields);
  if (change.dueAt === undefined) return;
  invoice.dueAt = change.dueAt;
  // With a later due date, an overdue invoice is no longer overdue.
  if (invoice.status === "overdue" && invoice.dueAt > sandboxState.clock.ms())
    invoice.status = "sent";
  if (invoice.status === "sent") scheduleOverdue(sandboxState, invoice);
}

export function sendInvoice(sandboxState: SandboxState, invoice: StoredInvoice): void {
  if (invoice.status !== "draft") return;
  invoice.status = "sent";
  scheduleOverdue(sandboxState, invoice);
}

function scheduleOverdue(sandboxState: SandboxState, { id, dueAt }: StoredInvoice): void {
  const inMs = dueAt - sandboxState.clock.ms();
  if (inMs <= 0) makeOverdue(sandboxState, id);
  else sandboxState.clock.schedule(inMs, { kind: "overdue", invoice: id });
}

/** Makes an invoice overdue, unless it was paid or its due date was moved. */
export function makeOverdue(sandboxState: SandboxState, id: string): void {
  const invoice = sandboxState.state.invoices.find((one) => one.id === id);
  if (invoice?.status !== "sent" || invoice.dueAt > sandboxState.clock.ms()) return;
  invoice.status = "overdue";
  sandboxState.deliveries.emit("invoice.overdue", invoice);
}

export function markPaid(sandboxState: SandboxState, invoice: StoredInvoice): void {
  if (invoice.status === "paid") return;
  invoice.status = "paid";
  sandboxState.deliveries.emit("invoice.paid", invoice);
}

/** A payment whose account reference is an invoice's number pays it, if the amount is enough. */
export function payInvoice(
  sandboxState: SandboxState,
  { account_reference, cents }: StoredPayment,
): void {
  const invoice = sandboxState.state.invoices.find(({ number }) => number === account_reference);
  if (invoice !== undefined && cents >= (invoice.cents ?? 0)) markPaid(sandboxState, invoice);
}
