import mysql from "mysql2/promise";
import { Client } from "pg";
import { inject } from "vitest";
import { type Engine, givenEngine } from "./engine.ts";

/** What the setup of the run says of an engine. */
interface Shared {
  /** `undefined`: this machine has no such engine. */
  readonly address?: string;
  /** Whether the run started it, and not a person who gave its address. */
  readonly isOwn?: boolean;
  /** The number of the test file that asks. */
  readonly file: number;
}

async function ask(name: "redis" | "postgres" | "mysql"): Promise<Shared> {
  const response = await fetch(`${inject("engines")}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/**
 * The Redis of `REDIS_URL`, or an empty database of the one that all test files of a run share. What
 * belongs to the whole server is shared too: settings, scripts, channels, statistics. A test that needs
 * its own, or ends it, uses `startRedis`. `undefined` if this machine has none.
 */
export async function sharedRedis(): Promise<Engine | undefined> {
  const { address, isOwn, file } = await ask("redis");
  if (address === undefined) return undefined;
  return givenEngine(isOwn ? `${address}/${file}` : address);
}

/**
 * The PostgreSQL of `DATABASE_URL`, or an empty database of the one that all test files of a run share.
 * A test that ends it uses `startPostgres`. `undefined` if this machine has none.
 */
export async function sharedPostgres(): Promise<Engine | undefined> {
  const { address, isOwn, file } = await ask("postgres");
  if (address === undefined) return undefined;
  if (!isOwn) return givenEngine(address);
  const client = new Client(address);
  await client.connect();
  await client.query(`CREATE DATABASE file_${file} TEMPLATE template0`);
  await client.end();
  const url = new URL(address);
  url.pathname = `/file_${file}`;
  return givenEngine(url.href);
}

/**
 * The MySQL or MariaDB of `MYSQL_URL`, or an empty database of the MariaDB that all test files of a run
 * share. A test that ends it uses `startMysql`. `undefined` if this machine has none.
 */
export async function sharedMysql(): Promise<Engine | undefined> {
  const { address, isOwn, file } = await ask("mysql");
  if (address === undefined) return undefined;
  if (!isOwn) return givenEngine(address);
  const connection = await mysql.createConnection(address);
  await connection.query(`CREATE DATABASE file_${file}`);
  await connection.end();
  const url = new URL(address);
  url.pathname = `/file_${file}`;
  return givenEngine(url.href);
}
