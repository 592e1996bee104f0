import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import { make as makeDatabase, TestDatabase } from "@surety/testing/machine/TestDatabase"
import { TestPostgres } from "@surety/testing/machine/TestPostgres"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"
import { type Merchant, merchantWithConsumer } from "../support/Merchant.js"
import { environmentOf } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

/** A server over two cells. The directory and the eastern cell share a database; the western cell has another. */
export class CellServer extends Context.Service<
  CellServer,
  {
    readonly server: ServerProcess
    readonly environment: Readonly<Record<string, string>>
    /** Proxy through which the server and commands reach the western cell. */
    readonly road: DatabaseProxy.DatabaseProxy
    /** Reads the name of the merchant's cell from the directory. Empty if the directory does not list the merchant. */
    readonly cellOf: (merchantId: string) => Effect.Effect<string>
  }
>()("test/CellServer") {}

/** Builds a value of `CELLS` with an eastern and a western cell. The eastern cell is the home cell. */
export const cellsAt = (east: Redacted.Redacted, west: Redacted.Redacted): string =>
  JSON.stringify([
    { name: "east", url: Redacted.value(east), schema: "cell_east" },
    { name: "west", url: Redacted.value(west), schema: "cell_west" }
  ])

export const layer = Layer.effect(
  CellServer,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const western = yield* makeDatabase((yield* TestPostgres).url)
    const road = yield* DatabaseProxy.make(western.url)
    const environment = { ...environmentOf(url), CELLS: cellsAt(url, road.url) }
    const role = yield* Effect.provide(RunDatabase.makeServingRole, PgClient.layer({ url, maxConnections: 1 }))
    const made = yield* Effect.promise(() => runHere(["migrate", "--serve-as", role], environment))
    assert.strictEqual(made.code, 0, made.stderr)
    const server = yield* serverProcess(environment)
    const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), PgClient.PgClient)
    return {
      server,
      environment,
      road,
      cellOf: (merchantId: string) =>
        Effect.map(
          Effect.orDie(
            sql<{
              readonly cell: string
            }>`select cell from surety_directory.merchant_place where merchant_id = ${merchantId}`
          ),
          ([row]) => row?.cell ?? ""
        )
    }
  })
).pipe(Layer.provide(RunDatabase.layer), Layer.provide(RunDatabase.layerServer))

/**
 * Creates merchants, each with a consumer, until each cell has received one of them. Returns one merchant of each cell.
 * A new merchant goes to the cell with the fewest merchants.
 */
export const neighbours = Effect.gen(function* () {
  const { cellOf, server } = yield* CellServer
  const found = new Map<string, Merchant>()
  while (found.size < 2) {
    const merchant = yield* merchantWithConsumer(server)
    found.set(yield* cellOf(merchant.id), merchant)
  }
  const [east, west] = [found.get("east"), found.get("west")]
  if (east === undefined || west === undefined) return yield* Effect.die(new Error("a merchant is in no cell"))
  return { east, west }
})
