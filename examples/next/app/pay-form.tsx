import type { ReactNode } from "react";

/** The form of an order: for the first click, and for "Pay again". */
export function PayForm({
  id,
  button,
  children,
}: {
  id: string;
  button: string;
  children: ReactNode;
}) {
  return (
    <form method="post" action="/orders">
      <input type="hidden" name="order" value={id} />
      {children}
      <label>
        Mobile-money number <input name="phone" type="tel" defaultValue="0712345678" required />
      </label>
      <button type="submit">{button}</button>
    </form>
  );
}
