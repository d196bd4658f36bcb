// The order with its state. It needs no JavaScript: an open order is loaded again every two seconds.
import { currentShop } from "../../../current-shop.ts";
import { SENT, saysOf } from "../../../shop.ts";
import { PayForm } from "../../pay-form.tsx";

export const dynamic = "force-dynamic"; // never a page of the build, and never one of the cache

export default async function OrderPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const shop = currentShop();
  const order = await shop.find(id);
  if (order === undefined) return <p>This order does not exist.</p>;
  const { metadata, amount, currency, status, canPay, attempts } = order;
  return (
    <>
      {status === "pending" && <meta httpEquiv="refresh" content="2" />}
      <p>
        {`${metadata?.item}`}, {currency} {amount}, order {id}
      </p>
      <p role="status">{saysOf(order)}</p>
      <p>{SENT.repeat(shop.parcels(id))}</p>
      {canPay && (
        <PayForm id={id} button="Pay again">
          <input type="hidden" name="item" value={`${metadata?.item}`} />
          <input type="hidden" name="after" value={attempts.length} />
        </PayForm>
      )}
      <p>
        <a href="/">Order something else</a>
      </p>
    </>
  );
}
