import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import {
  type PostgresClient,
  type PostgresOptions,
  type PostgresPool,
  postgres,
  type Transact,
} from "../../../src/engines/postgres.ts";

export type PostgresCheckoutOptions<Client = unknown> = PostgresOptions<Client>;

type Source<Client extends PostgresClient = PostgresClient> =
  | { readonly connectionString: string; readonly pool?: undefined }
  | { readonly pool: PostgresPool<Client>; readonly connectionString?: undefined };

/** The store of orders of an engine that nothing else uses: it closes the engine. */
export function postgresCheckout<Client extends PostgresClient = PostgresClient>(
  options: PostgresOptions & Source<Client> & { transact?: undefined },
): CheckoutStore<Client>;
export function postgresCheckout<Client = unknown>(
  options: PostgresOptions<Client> & Source & { transact: Transact<Client> },
): CheckoutStore<Client>;
export function postgresCheckout(options: PostgresOptions & Source): CheckoutStore {
  const { connectionString, pool, ...own } = options;
  const db = postgres(
    (pool ?? connectionString) as string,
    own as PostgresOptions & { transact: undefined },
  );
  return { ...(db.checkout() as CheckoutStore), close: () => db.close() };
}
