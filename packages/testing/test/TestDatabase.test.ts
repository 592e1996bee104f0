import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { make, makeFrom, TestDatabase } from "@surety/testing/machine/TestDatabase"
import { TestPostgres } from "@surety/testing/machine/TestPostgres"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"

const connect = (url: Redacted.Redacted) =>
  Layer.build(PgClient.layer({ url, maxConnections: 1 })).pipe(Effect.map(Context.get(PgClient.PgClient)))

const nameOf = (url: Redacted.Redacted) => new URL(Redacted.value(url)).pathname.slice(1)

it.live("is an empty database of its own", () =>
  Effect.gen(function* () {
    const sql = yield* connect((yield* TestDatabase).url)
    const other = yield* connect((yield* make((yield* TestPostgres).url)).url)
    yield* sql`create table notes (body text)`
    expect(yield* sql`select * from notes`).toEqual([])
    expect((yield* Effect.flip(other`select * from notes`)).reason._tag).toBe("SqlSyntaxError")
  }).pipe(Effect.provide([RunDatabase.layer, RunDatabase.layerServer]))
)

it.live("is dropped with its scope, even while a client is still connected", () =>
  Effect.gen(function* () {
    const server = yield* TestPostgres
    const sql = yield* connect(server.url)
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(make(server.url), scope)
    const client = yield* connect(url)
    yield* client`select 1`
    const found = sql`select datname from pg_database where datname = ${nameOf(url)}`
    expect(yield* found).toHaveLength(1)
    yield* Scope.close(scope, Exit.void)
    expect(yield* found).toEqual([])
  }).pipe(Effect.provide(RunDatabase.layerServer))
)

it.live("does not show the url in a log or an error", () =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    expect(`${url} ${JSON.stringify(url)}`).not.toContain(nameOf(url))
  }).pipe(Effect.provide(RunDatabase.layer))
)

it.live("is a copy of what was prepared once, under concurrent requests, and changes no other copy", () =>
  Effect.gen(function* () {
    const server = yield* TestPostgres
    const template = `template_test_${randomUUID().replaceAll("-", "")}`
    let prepared = 0
    const prepare = Effect.gen(function* () {
      prepared += 1
      const sql = yield* PgClient.PgClient
      yield* sql`create table notes (body text)`
      yield* sql`insert into notes values ('prepared')`
    })
    const broken = Effect.andThen(prepare, Effect.fail("broken"))
    expect(yield* Effect.flip(makeFrom(server.url, template, broken))).toBe("broken")
    const copy = Effect.flatMap(makeFrom(server.url, template, prepare), ({ url }) => connect(url))
    const [one, other] = yield* Effect.all([copy, copy, copy], { concurrency: "unbounded" })
    expect(prepared).toBe(2)
    yield* one`insert into notes values ('mine')`
    expect(yield* one`select * from notes`).toHaveLength(2)
    expect(yield* other`select * from notes`).toEqual([{ body: "prepared" }])
    const sql = yield* connect(server.url)
    yield* sql.unsafe(`drop database ${template}`)
  }).pipe(Effect.scoped, Effect.provide(RunDatabase.layerServer))
)
