import { nodeHandler } from "malipo/node";
import { checkout } from "../../modules/checkout/checkout";

export const POST = nodeHandler(checkout.receiver);
