import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import path from "node:path"
import { fromUuid } from "@surety/core/Ids"
import * as App from "@surety/server/App"
import * as Logging from "@surety/server/Logging"
import { parseSettings } from "@surety/server/settings/parseSettings"
import { Effect, type Layer, Redacted, Result, type Scope } from "effect"
import { query, seeding } from "./BenchDatabase.ts"
import { BenchFailed } from "./BenchFailed.ts"
import { type Contender, paymentsOfMerchants, poolSize, seedSize, toFixture } from "./Contender.ts"
import * as ServerProcess from "./ServerProcess.ts"
import { seed } from "./surety/seed.ts"

export type Environment = Readonly<Record<string, string>>

/** Entry point of the built server. */
export const main = path.join(import.meta.dirname, "..", "dist", "published", "main.js")

/** Returns production settings without rate limits, since the peer server (`peerContender.ts`) has none. */
export const environmentFor = (databaseUrl: string): Environment => ({
  SURETY_PROFILE: "production",
  DATABASE_URL: databaseUrl,
  DATABASE_CONNECTIONS: String(poolSize),
  OPERATOR_TOKEN: randomBytes(24).toString("base64url"),
  SECRETS_KEY: randomBytes(32).toString("base64"),
  RATE_LIMIT_REFUNDS: "0",
  RATE_LIMIT_OTHER: "0",
  RATE_LIMIT_PROVISIONING: "0",
  LOG_LEVEL: "warning",
  PORT: "0"
})

type AppLayer = ReturnType<typeof App.layer>

/** Runs an effect with the server's services, in this process. */
export const inProcess = <A, E>(environment: Environment, effect: Effect.Effect<A, E, Layer.Success<AppLayer>>) =>
  Effect.gen(function* () {
    const settings = parseSettings(environment)
    if (Result.isFailure(settings)) return yield* new BenchFailed({ message: JSON.stringify(settings.failure) })
    const [secretKey, ...others] = settings.success.secretKeys ?? []
    if (secretKey === undefined) return yield* new BenchFailed({ message: "No secret key" })
    const keys = {
      operatorToken: settings.success.operatorToken ?? Redacted.make(""),
      secretKeys: [secretKey, ...others] as const
    }
    return yield* effect.pipe(
      Effect.provide(App.layer(settings.success, keys)),
      Effect.provide(Logging.layer(settings.success))
    )
  }).pipe(Effect.mapError((cause) => new BenchFailed({ message: `Seeding Surety failed: ${cause}` })))

/** `nodeArguments`, such as `--cpu-prof`, are passed to Node. */
export const suretyContender = (
  databaseUrl: string,
  nodeArguments: ReadonlyArray<string>
): Effect.Effect<Contender, BenchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const environment = environmentFor(databaseUrl)
    const merchants = yield* seeding(databaseUrl, inProcess(environment, seed(paymentsOfMerchants, seedSize.consumers)))
    const server = yield* ServerProcess.start([...nodeArguments, main, "serve"], environment)
    return {
      ...server,
      name: "surety",
      databaseUrl,
      fixture: toFixture(merchants),
      refunds: refunds(databaseUrl),
      faults: faults(environment)
    }
  })

const refunds = (databaseUrl: string): Contender["refunds"] =>
  Effect.map(
    query(databaseUrl, "select id, merchant_id, payment_id, idempotency_key, amount_minor from surety.refund"),
    (rows) =>
      rows.map((row) => ({
        refundId: fromUuid("refund", String(row.id)),
        merchantId: fromUuid("merchant", String(row.merchant_id)),
        paymentId: String(row.payment_id),
        idempotencyKey: String(row.idempotency_key),
        amountMinor: Number(row.amount_minor)
      }))
  )

const verifyTimeoutMillis = 60_000

/**
 * Runs `surety verify`, which checks that the records are consistent. Returns its output if it fails, or a message
 * if it does not finish in time.
 */
const faults = (environment: Environment): Contender["faults"] =>
  Effect.callback((resume) => {
    const options = { env: { ...environment }, timeout: verifyTimeoutMillis }
    execFile(process.execPath, [main, "verify"], options, (failure, output, errors) => {
      const ending = failure?.killed === true ? `not finished after ${verifyTimeoutMillis} ms` : `${output}${errors}`
      resume(Effect.succeed(failure === null ? [] : [`surety verify: ${ending}`]))
    })
  })
