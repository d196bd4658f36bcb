import { DataSource, EntitySchema } from "typeorm";

export interface Order {
  id: string;
  product: string;
  cents: number;
  state: string;
  paidAt: Date | null;
}

export const Orders = new EntitySchema<Order>({
  name: "orders",
  columns: {
    id: { type: "text", primary: true },
    product: { type: "text" },
    cents: { type: "int" },
    state: { type: "text", default: "new" },
    paidAt: { type: "timestamptz", name: "paid_at", nullable: true },
  },
});

export const { DATABASE_URL = "" } = process.env;
export const source = new DataSource({
  type: "postgres",
  url: DATABASE_URL,
  entities: [Orders],
  // A connection that is lost does not end the process.
  poolErrorHandler: console.error,
});
