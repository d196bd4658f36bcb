/**
 * A page for the person who looks after payments, on a route of your server.
 *
 * @module malipo/operator
 */

export type { DecisionLine, DecisionLog } from "./decisions.ts";
export type { DecisionNote } from "./entry.ts";
export { type OperatorAccess, type OperatorHandlerOptions, operatorHandler } from "./handler.ts";
export type { Target } from "./queue-lists.ts";
export type { RefundFields } from "./refund-form.ts";
