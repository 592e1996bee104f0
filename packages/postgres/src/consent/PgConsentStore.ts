import type { PgClient } from "@effect/sql-pg/PgClient"
import { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { GrantEndSnapshot } from "@surety/core/consent/grant/decideGrant"
import type { ConsentSnapshot } from "@surety/core/consent/request/decideConsent"
import { decideUntilCommitted } from "@surety/core/decideUntilCommitted"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect, Layer, Option, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { isPersonGone } from "../connection/storeFailure.js"
import { storing } from "../event/appendEvents.js"
import * as Database from "../sql/Database.js"
import { commitBlock, commitLift } from "./commitBlock.js"
import { commitConsent, commitEnd, commitGrant } from "./commitConsents.js"
import { commitRead } from "./commitRead.js"
import { commitRepeat, commitRequest } from "./commitRequests.js"
import * as Load from "./loadConsents.js"

const committed = Effect.succeed(true)

const decodeLifted = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ reason: AskingBlockReason })))

/**
 * Provides `ConsentStore` on PostgreSQL. An operation with a decision reads in one statement, without a lock, and
 * commits in another. `decide` can begin with a snapshot that its caller has read. If the commit's conditions no longer
 * hold, the operation reads and decides again. Inside a host's transaction, the statements join that transaction.
 */
export const layer: Layer.Layer<ConsentStore, never, PgClient | DeliverySignal> = Layer.effect(
  ConsentStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { verb } = database

    const commit = (statement: Statement<unknown>) => storing(database, signal, statement)

    const request: ConsentStore["Service"]["request"] = Effect.fn("PgConsentStore.request")(
      (lookup, decide) =>
        decideUntilCommitted({
          load: Load.loadRequest(database, lookup),
          decide: ({ snapshot }) => Effect.succeed(decide(snapshot)),
          commit: (decision, { snapshot, version }) => {
            switch (decision._tag) {
              case "Execute":
                return commit(commitRequest(database, decision.plan, snapshot.grants, version))
              case "Repeat":
                return commit(commitRepeat(database, decision.plan))
              default:
                return committed
            }
          }
        }),
      verb("ConsentStore.request")
    )

    const decide: ConsentStore["Service"]["decide"] = Effect.fn("PgConsentStore.decide")(
      (target, decide, loaded) =>
        decideUntilCommitted({
          loaded: loaded && Option.some(loaded),
          load: Load.loadConsent(database, target),
          decide: (found: Option.Option<ConsentSnapshot>) => Effect.succeed(Option.map(found, decide)),
          commit: (decision, found) =>
            Option.isSome(found) && Option.isSome(decision) && decision.value._tag === "Execute"
              ? commit(commitConsent(database, found.value.request, decision.value.plan))
              : committed
        }),
      verb("ConsentStore.decide")
    )

    const grant: ConsentStore["Service"]["grant"] = Effect.fn("PgConsentStore.grant")(
      (lookup, decide) =>
        decideUntilCommitted({
          load: Load.loadParties(database, lookup),
          decide: (snapshot) => Effect.succeed(decide(snapshot)),
          commit: (decision) => (decision._tag === "Execute" ? commit(commitGrant(database, decision.plan)) : committed)
        }),
      verb("ConsentStore.grant")
    )

    const end: ConsentStore["Service"]["end"] = Effect.fn("PgConsentStore.end")(
      (target, decide) =>
        decideUntilCommitted({
          load: Load.loadGrant(database, target),
          decide: (found: Option.Option<GrantEndSnapshot>) => Effect.succeed(Option.map(found, decide)),
          commit: (decision, found) =>
            Option.isSome(found) && Option.isSome(decision) && decision.value._tag === "Execute"
              ? commit(commitEnd(database, found.value.grant, decision.value.plan))
              : committed
        }),
      verb("ConsentStore.end")
    )

    const block: ConsentStore["Service"]["block"] = Effect.fn("PgConsentStore.block")(
      (made) =>
        Effect.catchIf(
          Effect.asVoid(commitBlock(database, made)),
          (error): error is SqlError => isSqlError(error) && isPersonGone(error),
          () => Effect.void
        ),
      verb("ConsentStore.block")
    )

    const liftBlock: ConsentStore["Service"]["liftBlock"] = Effect.fn("PgConsentStore.liftBlock")(
      (...lifted) =>
        Effect.map(Effect.flatMap(commitLift(database, ...lifted), decodeLifted), ([block]) => block?.reason),
      verb("ConsentStore.liftBlock")
    )

    const read: ConsentStore["Service"]["read"] = Effect.fn("PgConsentStore.read")(
      (lookup, decide) =>
        decideUntilCommitted({
          load: Load.loadHistory(database, lookup),
          decide: (snapshot) => Effect.succeed(decide(snapshot)),
          commit: (decision, { grants }) =>
            decision._tag === "Execute" ? commit(commitRead(database, decision.plan, grants)) : committed
        }),
      verb("ConsentStore.read")
    )

    return ConsentStore.of({ request, decide, grant, end, block, liftBlock, read })
  })
)
