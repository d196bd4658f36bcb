import type { Transact } from "malipo/postgres";
import { DataSource, type EntityManager, EntitySchema } from "typeorm";

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

export const Parcels = new EntitySchema<{ orderId: string }>({
  name: "parcels",
  columns: { orderId: { type: "text", name: "order_id", primary: true } },
});

export const { DATABASE_URL = "" } = process.env;
export const source = new DataSource({
  type: "postgres",
  url: DATABASE_URL,
  entities: [Orders, Parcels],
  // A connection that is lost does not end the process.
  poolErrorHandler: console.error,
});

// Of node_modules/malipo/examples/executors.ts.
export const ofTypeOrm = ({ queryRunner }: EntityManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    // With `true`, it returns `{ records }` for an UPDATE, too.
    rows: (await queryRunner?.query(text, values, true))?.records ?? [],
  }),
});
export const transact: Transact<EntityManager> = (run) =>
  source.transaction((manager) => run(manager, ofTypeOrm(manager)));
