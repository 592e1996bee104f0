import { Environment } from "@surety/core/Environment"
import { RightsRequestId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText, identifierText } from "@surety/core/input/Text"
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
import { plainErasure, plainPerson, plainRightsRequest } from "../record/People.js"
import { pagingFields, readHostPage } from "./paging.js"

const why = {
  environment: Environment,
  /** Why, kept with the act. No personal value. */
  reason: filledText(500),
  /** Your own name for the user or system that acts. No personal value. */
  actor: Schema.optionalKey(identifierText(64))
}

const PersonInput = Schema.Struct({ ...why, serviceId: ServiceId })

const commandOf = ({ actor = "host", ...given }: typeof PersonInput.Type): RightsCommand => ({
  ...given,
  actor,
  actorKind: "HOST"
})

/** People's rights (contract 17). Each act is kept as an operator's action, with its reason. */
export const people = (run: Run) => ({
  /** Everything that is held of a person, here and by the host's `personData`, as JSON of the form `PersonExport`. */
  export: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) =>
      Effect.map(rights.export(commandOf(input)), (exported) => encodeExport(Redacted.value(exported)))
    )
  ),

  /** The same as a page in HTML to read and print. */
  exportPage: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) =>
      Effect.map(rights.export(commandOf(input)), (exported) => exportPage(Redacted.value(exported)))
    )
  ),

  /** Stops reads and new requests until the restriction is lifted. Repeating it is a no-op. */
  restrict: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) => Effect.map(rights.restrict(commandOf(input)), plainPerson))
  ),

  /** Lifts the restriction. */
  liftRestriction: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) => Effect.map(rights.liftRestriction(commandOf(input)), plainPerson))
  ),

  /**
   * Erases a person for good: first by the host's `personData`, then here. Returns what stays under a pseudonym, why and
   * until when. Repeating it returns the same.
   */
  erase: call(run, PersonInput, (input) =>
    Effect.flatMap(PersonRights, (rights) => Effect.map(rights.erase(commandOf(input)), plainErasure))
  ),

  /** Keeps a right that a person asked for in the host's app, with its deadline of 30 days. */
  recordRightsRequest: call(
    run,
    Schema.Struct({
      environment: Environment,
      serviceId: ServiceId,
      kind: RightsRequestKind,
      note: Schema.optionalKey(filledText(longestNote))
    }),
    ({ note, ...asked }) =>
      Effect.flatMap(RightsRequests, (requests) =>
        Effect.map(
          requests.record({ ...asked, ...(note === undefined ? {} : { note: Redacted.make(note) }) }),
          plainRightsRequest
        )
      )
  ),

  /** What people have asked for on their page, the next deadline first. */
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

  /** Closes a request, once the person has what they asked for or knows why not. */
  closeRightsRequest: call(
    run,
    Schema.Struct({ ...why, rightsRequestId: RightsRequestId, status: RightsRequestEnd }),
    ({ actor = "host", rightsRequestId, ...closing }) =>
      Effect.flatMap(RightsRequests, (requests) =>
        Effect.map(requests.close({ ...closing, id: rightsRequestId, actor }), plainRightsRequest)
      )
  )
})
