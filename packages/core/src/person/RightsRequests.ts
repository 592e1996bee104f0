import { Context, DateTime, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import { RightsRequestId, type UserId } from "../Ids.js"
import { OperatorActions } from "../operator/OperatorActions.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { rightsRequestedEvent } from "./PersonEvents.js"
import { PersonNotFound } from "./PersonRights.js"
import { PersonStore } from "./PersonStore.js"
import {
  type RightsRequest,
  type RightsRequestEnd,
  type RightsRequestKind,
  type RightsRequestStatus,
  timeToAnswer
} from "./RightsRequest.js"
import { RightsRequestStore } from "./RightsRequestStore.js"

/** No rights request in that environment has this id. */
export class RightsRequestNotFound extends Schema.TaggedError<RightsRequestNotFound>(
  "@surety/core/person/RightsRequests/RightsRequestNotFound"
)("RightsRequestNotFound", { id: RightsRequestId }) {
  override get message(): string {
    return "Rights request not found in this environment."
  }
}

/** A person's request, before `ask` adds its id, status and deadline. */
export interface RightsAsked {
  readonly environment: Environment
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly kind: RightsRequestKind
  readonly note?: Redacted.Redacted<string>
}

export interface RightsClosing {
  readonly environment: Environment
  readonly id: RightsRequestId
  readonly status: RightsRequestEnd
  /** The operator's name, or the host's own name for the acting user or system. Must contain no personal data. */
  readonly actor: string
  /** Stored in the operator action. Must contain no personal data. */
  readonly reason: string
}

/**
 * People's requests to exercise their rights, made on their own page or recorded by the operator or the host. The host
 * must respond within 30 days (contract 17).
 */
export class RightsRequests extends Context.Service<
  RightsRequests,
  {
    /**
     * Stores the request and notifies the host with `person.rights_requested`. If the person has an open request of
     * that kind, returns that one instead. Returns `None` if the person is unknown or erased.
     */
    readonly ask: (asked: RightsAsked) => Effect.Effect<Option.Option<RightsRequest>, StoreError>

    /**
     * Like `ask`, for a request that reached the operator or the host, for example by letter. Fails with
     * `PersonNotFound` if the person is unknown or erased.
     */
    readonly record: (asked: Omit<RightsAsked, "userId">) => Effect.Effect<RightsRequest, PersonNotFound | StoreError>

    /** Returns the request with this id, open or closed. */
    readonly get: (
      environment: Environment,
      id: RightsRequestId
    ) => Effect.Effect<RightsRequest, RightsRequestNotFound | StoreError>

    /** Lists requests, earliest deadline first. An undefined `status` does not filter. */
    readonly list: (
      environment: Environment,
      status: RightsRequestStatus | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<RightsRequest>, StoreError>

    /** Closes a request and records an operator action. Returns a closed request unchanged, without an action. */
    readonly close: (closing: RightsClosing) => Effect.Effect<RightsRequest, RightsRequestNotFound | StoreError>
  }
>()("@surety/core/person/RightsRequests") {}

export const layer: Layer.Layer<
  RightsRequests,
  never,
  RightsRequestStore | PersonStore | OperatorActions | SecureRandom.SecureRandom
> = Layer.effect(
  RightsRequests,
  Effect.gen(function* () {
    const store = yield* RightsRequestStore
    const people = yield* PersonStore
    const actions = yield* OperatorActions
    const random = yield* SecureRandom.SecureRandom

    const ask = Effect.fn("RightsRequests.ask")(
      function* (asked: RightsAsked) {
        const askedAt = yield* DateTime.now
        const request: RightsRequest = {
          ...asked,
          id: yield* RightsRequestId.next,
          status: "OPEN",
          askedAt,
          dueAt: DateTime.addDuration(askedAt, timeToAnswer)
        }
        const stored = yield* store.ask(request, yield* rightsRequestedEvent(request))
        if (Option.exists(stored, ({ id }) => id === request.id)) {
          yield* Effect.logInfo("Rights request received").pipe(
            Effect.annotateLogs({ rightsRequestId: request.id, kind: request.kind, environment: request.environment })
          )
        }
        return stored
      },
      Effect.provideService(SecureRandom.SecureRandom, random)
    )

    const record = Effect.fn("RightsRequests.record")(function* (asked: Omit<RightsAsked, "userId">) {
      const { environment, serviceId } = asked
      const person = yield* people.find(environment, serviceId)
      const request = Option.isNone(person) ? Option.none() : yield* ask({ ...asked, userId: person.value.userId })
      return Option.isNone(request) ? yield* new PersonNotFound({ serviceId }) : request.value
    })

    const get = Effect.fn("RightsRequests.get")(function* (environment: Environment, id: RightsRequestId) {
      const found = yield* store.find(environment, id)
      return Option.isNone(found) ? yield* new RightsRequestNotFound({ id }) : found.value
    })

    const close = Effect.fn("RightsRequests.close")(function* (closing: RightsClosing) {
      const { actor, environment, id, reason, status } = closing
      const closedAt = yield* DateTime.now
      const closed = store
        .close({ environment, id, status, closedAt, closedBy: actor })
        .pipe(
          Effect.flatMap(
            Option.match({ onNone: () => Effect.fail(new RightsRequestNotFound({ id })), onSome: Effect.succeed })
          )
        )
      const { request } = yield* actions.record(actor, closed, ({ isNew, request }) =>
        isNew
          ? {
              kind: "rights_request.closed",
              target: id,
              environment,
              serviceId: request.serviceId,
              reason,
              changes: [{ field: "status", from: "OPEN", to: request.status }]
            }
          : undefined
      )
      return request
    })

    return RightsRequests.of({ ask, record, get, list: store.list, close })
  })
)
