// A merchant's backend: the customer pays an order by phone, and the shop reports the result.
import { type Gateway, isGatewayError, PaymentPendingError } from "malipo";

export interface Order {
  readonly id: string;
  readonly amount: number;
  readonly phone: string;
}

export async function checkout(gateway: Gateway, { id, amount, phone }: Order): Promise<string> {
  try {
    const payment = await gateway.mobileMoney.collect(
      { amount, phone, account_reference: id },
      { idempotencyKey: `${id}/1` },
    );
    return payment.status === "completed"
      ? "Paid. Thank you!"
      : `Not paid: ${payment.user_message ?? "try again"}`;
  } catch (error) {
    if (error instanceof PaymentPendingError) return "We do not know yet, and will write to you.";
    if (isGatewayError(error) && error.outcome === "unknown") return "Please do not pay again.";
    if (isGatewayError(error)) return "You were not charged. Please try again.";
    throw error;
  }
}
