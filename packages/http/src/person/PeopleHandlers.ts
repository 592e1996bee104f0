import { consumerChange } from "@surety/core/consumer/changeConsumer"
import type { Environment } from "@surety/core/Environment"
import { RightsRequestId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { SecondOperatorRequired } from "@surety/core/operator/approval/ApprovalError"
import { FourEyes, needsSecond } from "@surety/core/operator/approval/FourEyes"
import { toPage } from "@surety/core/Page"
import { exportPage } from "@surety/core/person/exportPage"
import type { HeldPerson } from "@surety/core/person/HeldPerson"
import { PersonRights, type RightsCommand } from "@surety/core/person/PersonRights"
import { isOverdue, type RightsRequest } from "@surety/core/person/RightsRequest"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { DateTime, Effect, type Layer, Redacted, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentOperator, type OperatorAccess } from "../access/OperatorAccess.js"
import { consumerRecord } from "../consumer/ConsumerRecord.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { ConsumerChangeRequest } from "../operator/OperatorConsumersApi.js"
import { problem } from "../problem/Problem.js"
import {
  ClosingRequest,
  type PersonRecord,
  peopleRefusals,
  RightsActRequest,
  RightsAskedRequest,
  type RightsRequestRecord
} from "./PeopleApi.js"

const readServiceId = Schema.decodeEffect(ServiceId)

/** Reads the consumer identifier in a path, in any accepted form. A malformed identifier fails like an unknown one. */
const personIn = (sent: string) => Effect.mapError(readServiceId(sent), () => problem("person_not_found"))

const requestIn = pathId(RightsRequestId, "rights_request_not_found")

const actForm = formOf(RightsActRequest)
const changeForm = formOf(ConsumerChangeRequest)
const askedForm = formOf(RightsAskedRequest)
const closingForm = formOf(ClosingRequest)

const commandOf = Effect.fnUntraced(function* (
  sent: string,
  { environment = "LIVE", reason }: { readonly environment?: Environment; readonly reason: string }
) {
  const { name: actor } = yield* CurrentOperator
  const command: RightsCommand = { environment, serviceId: yield* personIn(sent), actor, reason }
  return command
})

const personRecord = ({ environment, restrictedAt, serviceId, userId }: HeldPerson): typeof PersonRecord.Type => ({
  serviceId,
  userId,
  environment,
  ...(restrictedAt === undefined ? {} : { restrictedAt })
})

/** `now` determines whether the request is overdue. */
export const rightsRequestRecord = (
  { note, ...request }: RightsRequest,
  now: DateTime.Utc
): typeof RightsRequestRecord.Type => ({
  ...request,
  ...(note === undefined ? {} : { note: Redacted.value(note) }),
  isOverdue: isOverdue({ ...request, status: request.status }, now)
})

/** Headers of the export page, which is meant only for the person. It is never cached or framed, and loads nothing. */
const pageHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "people">,
  never,
  OperatorAccess | PersonRights | RightsRequests
> = HttpApiBuilder.group(
  Api,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const rights = yield* PersonRights
    const fourEyes = yield* FourEyes
    const requests = yield* RightsRequests

    return handlers
      .handleRaw("export", ({ params, request }) =>
        answer(
          peopleRefusals.export,
          Effect.gen(function* () {
            const body = yield* readForm(request, actForm)
            return Redacted.value(yield* rights.export(yield* commandOf(params.serviceId, body)))
          })
        )
      )
      .handleRaw("exportPage", ({ params, request }) =>
        answer(
          peopleRefusals.exportPage,
          Effect.gen(function* () {
            const body = yield* readForm(request, actForm)
            const exported = yield* rights.export(yield* commandOf(params.serviceId, body))
            return HttpServerResponse.text(exportPage(Redacted.value(exported)), {
              status: 201,
              contentType: "text/html; charset=utf-8",
              headers: pageHeaders
            })
          })
        )
      )
      .handleRaw("rectify", ({ params, request }) =>
        answer(
          peopleRefusals.rectify,
          Effect.gen(function* () {
            const { environment, reason, ...details } = yield* readForm(request, changeForm)
            const why = { reason, ...(environment === undefined ? {} : { environment }) }
            const command = yield* commandOf(params.serviceId, why)
            return consumerRecord(yield* rights.rectify({ ...command, change: consumerChange(details) }))
          })
        )
      )
      .handleRaw("restrict", ({ params, request }) =>
        answer(
          peopleRefusals.restrict,
          Effect.gen(function* () {
            const body = yield* readForm(request, actForm)
            return personRecord(yield* rights.restrict(yield* commandOf(params.serviceId, body)))
          })
        )
      )
      .handleRaw("liftRestriction", ({ params, request }) =>
        answer(
          peopleRefusals.liftRestriction,
          Effect.gen(function* () {
            const body = yield* readForm(request, actForm)
            return personRecord(yield* rights.liftRestriction(yield* commandOf(params.serviceId, body)))
          })
        )
      )
      .handleRaw("erase", ({ params, request }) =>
        answer(
          peopleRefusals.erase,
          Effect.gen(function* () {
            const body = yield* readForm(request, actForm)
            if (fourEyes.inHttp && needsSecond(fourEyes, { _tag: "Erasure" })) {
              return yield* new SecondOperatorRequired()
            }
            return yield* rights.erase(yield* commandOf(params.serviceId, body))
          })
        )
      )
      .handleRaw("recordRightsRequest", ({ request }) =>
        answer(
          peopleRefusals.recordRightsRequest,
          Effect.gen(function* () {
            const { environment = "LIVE", note, ...asked } = yield* readForm(request, askedForm)
            const recorded = yield* requests.record({
              ...asked,
              environment,
              ...(note === undefined ? {} : { note: Redacted.make(note) })
            })
            return rightsRequestRecord(recorded, yield* DateTime.now)
          })
        )
      )
      .handle("listRightsRequests", ({ query }) =>
        answer(
          peopleRefusals.listRightsRequests,
          Effect.gen(function* () {
            const { environment = "LIVE", status } = query
            const key = ["people.listRightsRequests", environment] as const
            const found = yield* readPage(key, query, (page) => requests.list(environment, status, page))
            const now = yield* DateTime.now
            return { environment, ...toPage(found, (one) => rightsRequestRecord(one, now)) }
          })
        )
      )
      .handleRaw("closeRightsRequest", ({ params, request }) =>
        answer(
          peopleRefusals.closeRightsRequest,
          Effect.gen(function* () {
            const { environment = "LIVE", reason, status } = yield* readForm(request, closingForm)
            const id = yield* requestIn(params.rightsRequestId)
            const { name: actor } = yield* CurrentOperator
            const closed = yield* requests.close({ environment, id, status, actor, reason })
            return rightsRequestRecord(closed, yield* DateTime.now)
          })
        )
      )
  })
)
