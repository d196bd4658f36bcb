// The order with its state. It needs no JavaScript: an open order is loaded again every two seconds.
import { currentShop } from "../../../current-shop.ts";
import { SENT, STATES } from "../../../shop.ts";

export const dynamic = "force-dynamic"; // never a page of the build, and never one of the cache

export default async function OrderPage({ params }: { params: Promise<{ id: string }> }) {
  const order = currentShop().find((await params).id);
  if (order === undefined) return <p>There is no such order.</p>;
  const { order_id, item, amount, state, message, again, shipped } = order;
  const isOpen = state === "starting" || state === "waiting";
  return (
    <>
      {isOpen && <meta httpEquiv="refresh" content="2" />}
      <p>
        {item}, KES {amount}, order {order_id}
      </p>
      <p role="status">{`${STATES[state]} ${message}`.trim()}</p>
      <p>{SENT.repeat(shipped)}</p>
      {again === 1 && (
        <form method="post" action={`/orders/${order_id}/again`}>
          <button type="submit">Pay again</button>
        </form>
      )}
      <p>
        <a href="/">Order something else</a>
      </p>
    </>
  );
}
