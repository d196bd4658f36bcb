// The payment provider of Medusa: an order is placed, and waits for the money.
import type * as medusa from "@medusajs/framework/types";
import {
  AbstractPaymentProvider,
  BigNumber,
  MedusaError,
  ModuleProvider,
  Modules,
} from "@medusajs/framework/utils";
import { checkout } from "../../jobs/checkout";

type Data = Record<string, unknown> | undefined;
const orderOf = (data: Data) => data?.order as { id: string; amount: string; currency: string };
const not = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message);

function statusOf(order: { status: string } | undefined): medusa.PaymentSessionStatus {
  if (order?.status === "paid") return "captured";
  return order?.status === "canceled" ? "canceled" : "pending_authorization";
}

class Malipo extends AbstractPaymentProvider {
  static identifier = "malipo";
  // That of the class above is protected.
  constructor(container: Record<string, unknown>) {
    super(container);
  }

  async initiatePayment({ amount, currency_code, data }: medusa.InitiatePaymentInput) {
    const id = String(data?.session_id);
    const order = {
      ...{ id, amount: new BigNumber(amount).numeric.toFixed(2) },
      currency: currency_code.toUpperCase(),
    };
    return { id, data: { order } };
  }
  async updatePayment(): Promise<never> {
    throw not("Make a new payment session.");
  }

  /** Everyone may call it, by the Store API. Only the checkout is believed. */
  async authorizePayment({ data }: medusa.AuthorizePaymentInput) {
    return { data, status: statusOf(await checkout.create(orderOf(data))) };
  }
  async getPaymentStatus({ data }: medusa.GetPaymentStatusInput) {
    return { data, status: statusOf(await checkout.get(orderOf(data).id)) };
  }

  async deletePayment({ data }: medusa.DeletePaymentInput) {
    const order = await checkout.cancel(orderOf(data).id);
    if (order?.status === "paid") throw not("It is paid.");
    return { data };
  }
  cancelPayment = this.deletePayment;

  /** It moves no money: staff have paid it back. */
  async refundPayment({ amount, data, context }: medusa.RefundPaymentInput) {
    const refund = { amount: new BigNumber(amount).numeric, reference: context?.idempotency_key };
    await checkout.refunds.add(orderOf(data).id, { ...refund, by: "Medusa" });
    return { data };
  }

  async retrievePayment({ data }: medusa.RetrievePaymentInput) {
    return { data };
  }
  capturePayment = this.retrievePayment;
  async getWebhookActionAndData() {
    return { action: "not_supported" as const };
  }
}

export default ModuleProvider(Modules.PAYMENT, { services: [Malipo] });
