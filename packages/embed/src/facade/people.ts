import { consumerChange } from "@surety/core/consumer/changeConsumer"
import { Environment } from "@surety/core/Environment"
import { RightsRequestId } from "@surety/core/Ids"
import { filledText } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { exportPage } from "@surety/core/person/exportPage"
import { encodeExport } from "@surety/core/person/PersonExport"
import { PersonRights, type RightsCommand } from "@surety/core/person/PersonRights"
import {
  longestNote,
  RightsRequestEnd,
  RightsRequestKind,
  RightsRequestStatus
} from "@surety/core/person/RightsRequest"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainConsumer } from "../record/Merchants.js"
import { plainErasure, plainPerson, plainRightsRequest } from "../record/People.js"
import { correctionFields } from "./consumers.js"
import { nameOf, recorded } from "./input/actor.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { personFields, serviceIdOf } from "./input/scopeAndPerson.js"

const why = {
  environment: Environment,
  /** Stored in the operator action that the call records. Must not contain personal data. */
  reason: filledText(500),
  ...recorded
}

const PersonInput = Schema.Struct({ ...why, ...personFields })

const commandOf = Effect.fnUntraced(function* ({ actor, environment, reason, ...person }: typeof PersonInput.Type) {
  const command: RightsCommand = {
    environment,
    serviceId: yield* serviceIdOf(environment, person),
    actor: nameOf(actor),
    actorKind: "HOST",
    reason
  }
  return command
})

/** People's rights (contract 17). If a call records an operator action, the action contains the given `reason`. */
export const people = (run: Run) => ({
  /**
   * Exports the data about a person that Surety and the host's `personData` hold, as JSON of the form `PersonExport`.
   * Fails with `PersonDataUnavailable` if a part of `personData` fails.
   */
  export: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) =>
      Effect.map(Effect.flatMap(commandOf(input), rights.export), (exported) => encodeExport(Redacted.value(exported)))
    )
  ),

  /** Exports the same data as `export`, as a printable HTML page. */
  exportPage: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) =>
      Effect.map(Effect.flatMap(commandOf(input), rights.export), (exported) => exportPage(Redacted.value(exported)))
    )
  ),

  /**
   * Corrects the given details of a person. Null removes a detail. Merchants with an active grant for a changed field
   * receive `merchant.identity.data_changed`. Returns the consumer.
   */
  rectify: call(
    run,
    Schema.Struct({ ...PersonInput.fields, ...correctionFields }),
    ({ actor, environment, reason, serviceId, userId, ...details }) =>
      Effect.gen(function* () {
        const rights = yield* PersonRights
        const person = {
          ...(serviceId === undefined ? {} : { serviceId }),
          ...(userId === undefined ? {} : { userId })
        }
        const command = yield* commandOf({ environment, reason, ...person, ...(actor === undefined ? {} : { actor }) })
        return plainConsumer(yield* rights.rectify({ ...command, change: consumerChange(details) }))
      })
  ),

  /**
   * Restricts a person. Until the restriction is lifted, merchants cannot read the person's details or send the person
   * new data requests. A repeated call changes nothing and records no operator action.
   */
  restrict: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) => Effect.map(Effect.flatMap(commandOf(input), rights.restrict), plainPerson))
  ),

  liftRestriction: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) =>
      Effect.map(Effect.flatMap(commandOf(input), rights.liftRestriction), plainPerson)
    )
  ),

  /**
   * Erases a person permanently: first through the host's `personData`, then in Surety. Returns the kinds of records
   * that remain under a pseudonym, with reasons and retention periods. A repeat for an erased person erases nothing
   * more. Fails with `RefundsPending` while a refund to the person is pending. Fails with `PersonDataUnavailable` if a
   * part of `personData` fails. Other parts may already have erased the person, so repeat the call.
   */
  erase: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) => Effect.map(Effect.flatMap(commandOf(input), rights.erase), plainErasure))
  ),

  /**
   * Records a rights request that the person made to the host, for example in its app. The host must respond within 30
   * days. If the person already has an open request of this kind, returns that request instead.
   */
  recordRightsRequest: call(
    run,
    Schema.Struct({
      environment: Environment,
      ...personFields,
      kind: RightsRequestKind,
      note: Schema.optionalKey(filledText(longestNote))
    }),
    ({ environment, kind, note, ...person }) =>
      Effect.gen(function* () {
        const requests = yield* RightsRequests
        const asked = { environment, kind, serviceId: yield* serviceIdOf(environment, person) }
        const noted = note === undefined ? asked : { ...asked, note: Redacted.make(note) }
        return plainRightsRequest(yield* requests.record(noted))
      })
  ),

  /** People's rights requests, earliest deadline first. */
  rightsRequests: call(
    run,
    Schema.Struct({ environment: Environment, status: Schema.optionalKey(RightsRequestStatus), ...pagingFields }),
    ({ environment, status, ...page }) =>
      Effect.flatMap(RightsRequests, (requests) =>
        Effect.map(
          readHostPage(["people.listRightsRequests", environment], page, (request) =>
            requests.list(environment, status, request)
          ),
          (found) => toPage(found, plainRightsRequest)
        )
      )
  ),

  /** Closes a rights request. Call it after the person has received the result or the reason for a refusal. */
  closeRightsRequest: call(
    run,
    Schema.Struct({ ...why, rightsRequestId: RightsRequestId, status: RightsRequestEnd }),
    ({ actor, rightsRequestId, ...closing }) =>
      Effect.flatMap(RightsRequests, (requests) =>
        Effect.map(requests.close({ ...closing, id: rightsRequestId, actor: nameOf(actor) }), plainRightsRequest)
      )
  )
})
