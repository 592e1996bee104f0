import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { identifierText, Moment } from "@surety/core/input/Text"
import { OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainAction } from "../record/Merchants.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { optionalServiceId, personFields } from "./input/scopeAndPerson.js"

const environmentMissing = new InvalidInput({
  faults: [{ path: ["environment"], code: "required", detail: "Give the environment of this userId." }]
})

/** Recorded actions of operators and of the host: who did what, when and why. */
export const actions = (run: Run) => ({
  /**
   * Newest first, in both environments. Filters are combined with AND; `since` is inclusive, `until` exclusive. `actor`
   * is the actor's name. `userId` requires its `environment`, which is not itself a filter.
   */
  list: call(
    run,
    Schema.Struct({
      actor: Schema.optionalKey(identifierText(64)),
      kind: Schema.optionalKey(OperatorActionKind),
      target: Schema.optionalKey(identifierText(128)),
      merchantId: Schema.optionalKey(MerchantId),
      environment: Schema.optionalKey(Environment),
      ...personFields,
      since: Schema.optionalKey(Moment),
      until: Schema.optionalKey(Moment),
      ...pagingFields
    }),
    ({ cursor, environment, limit, serviceId, userId, ...given }) =>
      Effect.gen(function* () {
        const service = yield* OperatorActions
        if (userId !== undefined && environment === undefined) return yield* environmentMissing
        const person =
          environment === undefined ? serviceId : yield* optionalServiceId(environment, { serviceId, userId })
        const { actor, kind, merchantId, since, target, until } = given
        const filter = { actor, kind, merchantId, since, target, until, serviceId: person }
        const found = yield* readHostPage(["operatorActions.listActions"], { cursor, limit }, (request) =>
          service.list(filter, request)
        )
        return toPage(found, plainAction)
      })
  )
})
