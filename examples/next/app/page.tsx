import { newOrderId, PRICES } from "../shop.ts";

export const dynamic = "force-dynamic"; // each page load makes a new order

export default function StartPage() {
  return (
    <form method="post" action="/orders">
      <input type="hidden" name="order" value={newOrderId()} />
      {Object.entries(PRICES).map(([item, price]) => (
        <label key={item}>
          <input type="radio" name="item" value={item} required /> {item}, KES {price}
        </label>
      ))}
      <label>
        Mobile-money number <input name="phone" type="tel" defaultValue="0712345678" required />
      </label>
      <button type="submit">Pay</button>
    </form>
  );
}
