import type { OperatorActionDraft } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect } from "effect"
import * as App from "../App.js"
import type { SchemaPurpose } from "../Database.js"
import * as Logging from "../Logging.js"
import { settings } from "./environment.js"

/**
 * Runs a command with the configured database and keys. Only the purpose `make` creates a missing embedded database and
 * migrates the schema. `read` stores no development key.
 */
export const withApp = <A, E, R>(purpose: SchemaPurpose, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const current = yield* settings
    const { app } = yield* App.open(current, purpose).pipe(Effect.provide(Logging.layer(current)))
    return yield* work.pipe(Effect.provideContext(app), Effect.provide(Logging.layer(current)))
  }).pipe(Effect.scoped)

/** Makes a change on behalf of `OPERATOR_NAME`, and records the action from `describe`, if any, in the same commit. */
export const asOperator = <A, E, R>(
  change: (actor: string) => Effect.Effect<A, E, R>,
  describe: (result: A) => OperatorActionDraft | undefined
) =>
  Effect.gen(function* () {
    const actions = yield* OperatorActions
    const { operatorName } = yield* settings
    return yield* actions.record(operatorName, change(operatorName), describe)
  })
