import { currentShop } from "../../current-shop.ts";

export async function POST(request: Request): Promise<Response> {
  const isOurs = request.headers.get("sec-fetch-site") !== "cross-site"; // no other site may order
  const form = Object.fromEntries(await request.formData());
  const wrong = isOurs ? await currentShop().pay(form) : "Order on our own page.";
  if (wrong !== undefined) return new Response(wrong, { status: 400 });
  return new Response(null, { status: 303, headers: { location: `/orders/${form.order}` } });
}
