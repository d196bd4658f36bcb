// A library with which users write to their database, with what the manual prints for it.
// The runtime takes what `prisma generate` would write, for a schema without models.
import { type GetPrismaClientConfig, getPrismaClient } from "@prisma/client/runtime/client";
import type { Transact } from "malipo/postgres";

export type OrmName =
  | "prisma"
  | "drizzle"
  | "kysely"
  | "knex"
  | "typeorm"
  | "mikroorm"
  | "sequelize";

export interface Orm {
  readonly transact: Transact;
  /** Writes an effect with the client that a handler's `transaction` passes on. */
  write(client: unknown, table: string, column: string, effect: string): Promise<unknown>;
  /** Runs a statement without values with that client. */
  run(client: unknown, text: string): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Opens each library at an address. */
export type Orms = Readonly<Record<OrmName, (url: string) => Orm>>;

export interface PrismaTransaction {
  $queryRawUnsafe<Result>(query: string, ...values: unknown[]): Promise<Result>;
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>;
}
export interface Prisma {
  $transaction<Result>(
    run: (tx: PrismaTransaction) => Promise<Result>,
    options?: { isolationLevel: "ReadCommitted" },
  ): Promise<Result>;
  $disconnect(): Promise<void>;
}

/** A client as `prisma generate` writes it. @param adapter - Of the driver. */
export function prismaClient(provider: "postgresql" | "mysql", adapter: object): Prisma {
  const compiler = `@prisma/client/runtime/query_compiler_fast_bg.${provider}`;
  const config: GetPrismaClientConfig = {
    previewFeatures: [],
    clientVersion: "7.10.0",
    engineVersion: "",
    activeProvider: provider,
    inlineSchema: `generator client {\n  provider = "prisma-client"\n}\ndatasource db {\n  provider = "${provider}"\n}\n`,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: "AAAA" },
    compilerWasm: {
      getRuntime: () => import(`${compiler}.mjs`),
      getQueryCompilerWasmModule: async () => {
        const { wasm } = await import(`${compiler}.wasm-base64.mjs`);
        return new WebAssembly.Module(Buffer.from(wasm, "base64"));
      },
      importName: "./query_compiler_fast_bg.js",
    },
  };
  const Client = getPrismaClient(config) as unknown as new (options: object) => Prisma;
  return new Client({ adapter });
}

/** An INSERT of one value. @param value - How the library names it. */
export const insertion = (table: string, column: string, value: string): string =>
  `INSERT INTO ${table} (${column}) VALUES (${value})`;
