/**
 * A page for the person who looks after payments, on a route of your server.
 *
 * @module malipo/operator
 */

export { type OperatorHandlerOptions, operatorHandler } from "./handler.ts";
export { onNode } from "./node.ts";
