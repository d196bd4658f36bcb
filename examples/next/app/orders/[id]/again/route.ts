import { currentShop } from "../../../../current-shop.ts";

export async function POST(
  _request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const { id } = await params;
  await currentShop().payAgain(id);
  const location = `/orders/${encodeURIComponent(id)}`;
  return new Response(null, { status: 303, headers: { location } });
}
