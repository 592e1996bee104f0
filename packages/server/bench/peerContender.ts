import path from "node:path"
import { Effect, type Scope } from "effect"
import { query, seeding } from "./BenchDatabase.ts"
import { BenchFailed } from "./BenchFailed.ts"
import { type Contender, paymentsOfMerchants, poolSize, seedSize, toFixture } from "./Contender.ts"
import { audits as allAudits, plainAudits } from "./peer/audit.ts"
import { schema } from "./peer/schema.ts"
import { seed } from "./peer/seed.ts"
import * as ServerProcess from "./ServerProcess.ts"

const main = path.join(import.meta.dirname, "peer", "main.ts")

export const peerContender = (
  name: "peer" | "simple",
  databaseUrl: string
): Effect.Effect<Contender, BenchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* query(databaseUrl, schema)
    const merchants = yield* seeding(
      databaseUrl,
      Effect.tryPromise({
        try: () => seed(databaseUrl, paymentsOfMerchants, seedSize.consumers),
        catch: (cause) => new BenchFailed({ message: `Seeding the peer failed: ${cause}` })
      })
    )
    const server = yield* ServerProcess.start([main, name], { DATABASE_URL: databaseUrl, POOL_SIZE: String(poolSize) })
    return {
      ...server,
      name,
      databaseUrl,
      fixture: toFixture(merchants),
      refunds: refunds(databaseUrl),
      faults: faults(databaseUrl, name === "peer" ? allAudits : plainAudits)
    }
  })

const refunds = (databaseUrl: string): Contender["refunds"] =>
  Effect.map(
    query(databaseUrl, "select id, merchant_id, payment_id, idempotency_key, amount_minor from refunds"),
    (rows) =>
      rows.map((row) => ({
        refundId: String(row.id),
        merchantId: String(row.merchant_id),
        paymentId: String(row.payment_id),
        idempotencyKey: String(row.idempotency_key),
        amountMinor: Number(row.amount_minor)
      }))
  )

const faults = (databaseUrl: string, audits: typeof plainAudits): Contender["faults"] =>
  Effect.map(
    Effect.forEach(Object.entries(audits), ([what, statement]) =>
      Effect.map(query(databaseUrl, statement), ([row]) => (row?.count === 0n ? [] : [`${row?.count} ${what}`]))
    ),
    (found) => found.flat()
  )
