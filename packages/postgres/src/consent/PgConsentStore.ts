import type { PgClient } from "@effect/sql-pg/PgClient"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { GrantEndDecision } from "@surety/core/consent/grant/decideGrant"
import type { ConsentDecision } from "@surety/core/consent/request/decideConsent"
import type { DataRequestDecision } from "@surety/core/consent/request/decideDataRequest"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { notify } from "../event/notify.js"
import * as Database from "../sql/Database.js"
import * as Commit from "./commitConsents.js"
import * as Load from "./loadConsents.js"

const OutcomeRow = Schema.Struct({ stored: Schema.Boolean, deliveries: Schema.BigInt })

const decodeOutcome = Schema.decodeUnknownEffect(Schema.Tuple([OutcomeRow]))

/** A decision, and whether it is committed or needed no commit. */
interface Attempt<D> {
  readonly decision: D
  readonly stands: boolean
}

/**
 * Attempts again while what was decided on has changed meanwhile. That comes to an end: a request is decided once, a
 * grant ends once, and a key is taken once.
 */
const untilItStands = Effect.fnUntraced(function* <D, E, R>(attempt: Effect.Effect<Attempt<D>, E, R>) {
  while (true) {
    const { decision, stands } = yield* attempt
    if (stands) return decision
  }
})

/**
 * `ConsentStore` on PostgreSQL. Every verb reads in one statement, without a lock, and commits in another; inside a
 * host's transaction both take part in it.
 */
export const layer: Layer.Layer<ConsentStore, never, PgClient | DeliverySignal> = Layer.effect(
  ConsentStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { verb } = database

    /** Whether what the statement was to commit still stood, and is committed. */
    const commit = Effect.fnUntraced(function* (statement: Statement<unknown>) {
      const [{ deliveries, stored }] = yield* Effect.flatMap(statement, decodeOutcome)
      yield* notify(database, signal, deliveries)
      return stored
    })

    const request: ConsentStore["Service"]["request"] = Effect.fn("PgConsentStore.request")(
      (lookup, decideOn) =>
        untilItStands(
          Effect.gen(function* (): Effect.fn.Return<Attempt<DataRequestDecision>, SqlError | Schema.SchemaError> {
            const { snapshot, version } = yield* Load.loadRequest(database, lookup)
            const decision = decideOn(snapshot)
            switch (decision._tag) {
              case "Execute": {
                const statement = Commit.commitRequest(database, decision.plan, snapshot.grants, version)
                return { decision, stands: yield* commit(statement) }
              }
              case "Repeat":
                return { decision, stands: yield* commit(Commit.commitRepeat(database, decision.plan)) }
              default:
                return { decision, stands: true }
            }
          })
        ),
      verb("ConsentStore.request")
    )

    const decide: ConsentStore["Service"]["decide"] = Effect.fn("PgConsentStore.decide")(
      (target, decideOn) =>
        untilItStands(
          Effect.gen(function* () {
            const snapshot = yield* Load.loadConsent(database, target)
            if (Option.isNone(snapshot)) return { decision: Option.none<ConsentDecision>(), stands: true }
            const decision = decideOn(snapshot.value)
            const stands =
              decision._tag !== "Execute" ||
              (yield* commit(Commit.commitConsent(database, snapshot.value.request, decision.plan)))
            return { decision: Option.some(decision), stands }
          })
        ),
      verb("ConsentStore.decide")
    )

    const grant: ConsentStore["Service"]["grant"] = Effect.fn("PgConsentStore.grant")(
      (lookup, decideOn) =>
        untilItStands(
          Effect.gen(function* () {
            const decision = decideOn(yield* Load.loadParties(database, lookup))
            const stands = decision._tag !== "Execute" || (yield* commit(Commit.commitGrant(database, decision.plan)))
            return { decision, stands }
          })
        ),
      verb("ConsentStore.grant")
    )

    const end: ConsentStore["Service"]["end"] = Effect.fn("PgConsentStore.end")(
      (target, decideOn) =>
        untilItStands(
          Effect.gen(function* () {
            const snapshot = yield* Load.loadGrant(database, target)
            if (Option.isNone(snapshot)) return { decision: Option.none<GrantEndDecision>(), stands: true }
            const decision = decideOn(snapshot.value)
            const stands =
              decision._tag !== "Execute" ||
              (yield* commit(Commit.commitEnd(database, snapshot.value.grant, decision.plan)))
            return { decision: Option.some(decision), stands }
          })
        ),
      verb("ConsentStore.end")
    )

    const block: ConsentStore["Service"]["block"] = Effect.fn("PgConsentStore.block")(
      (made) => Effect.asVoid(Commit.commitBlock(database, made)),
      verb("ConsentStore.block")
    )

    const liftBlock: ConsentStore["Service"]["liftBlock"] = Effect.fn("PgConsentStore.liftBlock")(
      (scope, userId, at) => Effect.map(Commit.commitLift(database, scope, userId, at), (rows) => rows.length > 0),
      verb("ConsentStore.liftBlock")
    )

    const read: ConsentStore["Service"]["read"] = Effect.fn("PgConsentStore.read")(
      (lookup, decideOn) =>
        untilItStands(
          Effect.gen(function* () {
            const snapshot = yield* Load.loadHistory(database, lookup)
            const decision = decideOn(snapshot)
            const stands =
              decision._tag !== "Execute" ||
              (yield* commit(Commit.commitRead(database, decision.plan, snapshot.grants)))
            return { decision, stands }
          })
        ),
      verb("ConsentStore.read")
    )

    return ConsentStore.of({ request, decide, grant, end, block, liftBlock, read })
  })
)
