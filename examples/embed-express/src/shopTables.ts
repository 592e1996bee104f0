import type { Pool } from "pg"

/**
 * The shop's existing tables, in their own Postgres schema and with their own ids. For Surety, only the columns
 * `merchant_id` and `service_id` and the table `wallet_refunds` were added. `wallet_refunds` prevents crediting a
 * refund twice.
 */
const tables = `
  create schema if not exists shop;
  create table if not exists shop.sellers (
    id text primary key,
    name text not null,
    merchant_id text not null
  );
  create table if not exists shop.users (
    id text primary key,
    name text not null,
    email text not null,
    service_id text
  );
  create table if not exists shop.wallets (
    user_id text primary key references shop.users,
    kobo bigint not null check (kobo >= 0)
  );
  create table if not exists shop.wallet_refunds (
    refund_id text primary key,
    user_id text not null references shop.wallets,
    kobo bigint not null
  );
  create table if not exists shop.orders (
    id text primary key,
    seller_id text not null references shop.sellers,
    user_id text not null references shop.users,
    kobo bigint not null,
    status text not null check (status in ('PAID', 'RETURNED'))
  );
`

export const createShopTables = async (pool: Pool): Promise<void> => {
  await pool.query(tables)
}
