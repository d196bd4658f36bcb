import { GatewayError } from "./base.ts";

/**
 * The order exists with another amount or currency, or another order has its account reference. Nothing
 * was changed. Use a new id for another order. Outcome `not_sent`.
 */
export class OrderConflictError extends GatewayError {
  protected static override readonly malipo: string = "OrderConflictError";
  override readonly code = "order_conflict" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 409 {
    return 409;
  }
  /** The id of the order. */
  readonly orderId: string;
  constructor(message: string, orderId: string) {
    super(message, "not_sent");
    this.orderId = orderId;
  }
}
