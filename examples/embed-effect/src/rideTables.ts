import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

export const rideTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create schema if not exists ride`
  yield* sql`create table if not exists ride.wallet (rider_id text primary key, kobo bigint not null check (kobo >= 0))`
  yield* sql`create table if not exists ride.wallet_refund (
    refund_id text primary key, rider_id text not null references ride.wallet, kobo bigint not null)`
  yield* sql`create table if not exists ride.trip (
    id text primary key, rider_id text not null references ride.wallet, kobo bigint not null, status text not null)`
})
