import { currentShop } from "../../current-shop.ts";

export async function POST(request: Request): Promise<Response> {
  const form = Object.fromEntries(await request.formData());
  if (!(await currentShop().order(form))) {
    return new Response("This form is not ours.", { status: 400 });
  }
  return new Response(null, { status: 303, headers: { location: `/orders/${form.order}` } });
}
