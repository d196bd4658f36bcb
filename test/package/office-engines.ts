import type { CheckoutEngine } from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";

interface OfficeEngine extends CheckoutEngine {
  close(): Promise<void>;
}

/** Opens the engine of an office, by its file or its address. */
export const OFFICE_ENGINES = {
  sqlite: (path: string): OfficeEngine => sqlite(path),
  postgres: (url: string): OfficeEngine => postgres(url),
  mysql: (url: string): OfficeEngine => mysql(url),
} as const;
