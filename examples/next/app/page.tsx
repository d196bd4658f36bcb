import { newOrderId, PRICES } from "../shop.ts";
import { PayForm } from "./pay-form.tsx";

export const dynamic = "force-dynamic"; // each page load makes a new order

export default function StartPage() {
  return (
    <PayForm id={newOrderId()} button="Pay">
      <input type="hidden" name="after" value={0} />
      {Object.entries(PRICES).map(([item, price]) => (
        <label key={item}>
          <input type="radio" name="item" value={item} required /> {item}, KES {price}
        </label>
      ))}
    </PayForm>
  );
}
