import { nodeHandler } from "malipo/node";
import { checkout } from "../../jobs/checkout";

export const POST = nodeHandler(checkout.receiver);
