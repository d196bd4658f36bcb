// What a storefront calls when the order is placed. The id is that of the payment session.
import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { MedusaError } from "@medusajs/framework/utils";
import { checkout } from "../../../../jobs/checkout";

async function placed(id = "") {
  const order = await checkout.get(id);
  if (order) return order;
  throw new MedusaError(MedusaError.Types.NOT_FOUND, "No such order waits for a phone.");
}

export async function GET({ params }: MedusaRequest, response: MedusaResponse) {
  response.json(await placed(params.id));
}

export async function POST(
  { params, body: { phone, after } }: MedusaRequest<{ phone: string; after?: number }>,
  response: MedusaResponse,
) {
  const { id, amount, currency } = await placed(params.id);
  try {
    response.json(await checkout.pay({ id, amount, currency, phone }, { after }));
  } catch (error) {
    const { statusCode = 500, message } = error as Error & { statusCode?: number };
    if (statusCode >= 500) throw error;
    response.status(statusCode).json({ message });
  }
}
