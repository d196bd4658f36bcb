/** One endpoint of the interface: written down here again, so that a test does not lean on `src`. */
export interface Row {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly scope: string;
  /** Whether a public key may call it. */
  readonly isPublic: boolean;
  readonly hasBody: boolean;
}

const row = (
  name: string,
  method: string,
  path: string,
  scope: string,
  options: { isPublic?: true; hasBody?: true } = {},
): Row => ({
  name,
  method,
  pattern: new RegExp(`^${path.replace(":id", "([^/]+)")}$`),
  scope,
  isPublic: options.isPublic ?? false,
  hasBody: options.hasBody ?? false,
});

// biome-ignore format: one line for each row
export const ROWS: readonly Row[] = [
  row("merchant", "GET", "/merchant", "merchant.read", { isPublic: true }),
  row("accounts", "GET", "/merchant/payment-accounts", "merchant.read", { isPublic: true }),
  row("payment", "GET", "/payments/:id", "payments.read", { isPublic: true }),
  row("payments", "GET", "/payments", "payments.read", { isPublic: true }),
  row("initiate", "POST", "/payments/initiate", "payments.create", { hasBody: true }),
  row("initiate", "POST", "/mobile-money/payment/initiate", "payments.create", { hasBody: true }),
  row("status", "POST", "/mobile-money/payment/status", "payments.read", { hasBody: true }),
  row("phone", "POST", "/mobile-money/validate-phone", "mobile-money.validate", { isPublic: true, hasBody: true }),
  row("register", "POST", "/webhooks/register", "webhooks.manage", { hasBody: true }),
  row("webhooks", "GET", "/webhooks", "webhooks.read", { isPublic: true }),
  row("changeWebhook", "PUT", "/webhooks/:id", "webhooks.manage", { hasBody: true }),
  row("deleteWebhook", "DELETE", "/webhooks/:id", "webhooks.manage"),
  row("createInvoice", "POST", "/invoices", "invoices.create", { hasBody: true }),
  row("invoices", "GET", "/invoices", "invoices.read", { isPublic: true }),
  row("invoice", "GET", "/invoices/:id", "invoices.read", { isPublic: true }),
  row("changeInvoice", "PUT", "/invoices/:id", "invoices.update", { hasBody: true }),
  row("deleteInvoice", "DELETE", "/invoices/:id", "invoices.delete"),
  row("send", "POST", "/invoices/:id/send", "invoices.send", { hasBody: true }),
];
