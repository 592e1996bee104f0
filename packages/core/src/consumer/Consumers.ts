import { Array as Arr, Context, DateTime, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import type { Environment } from "../Environment.js"
import { type MerchantId, UserId } from "../Ids.js"
import type { MerchantNotActive, MerchantNotFound } from "../merchant/MerchantError.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import { openMerchant } from "../merchant/openMerchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Consumer, LinkedConsumer } from "./Consumer.js"
import { ConsumerId, next } from "./ConsumerId.js"
import { type ConsumerFilter, ConsumerStore } from "./ConsumerStore.js"

/** The given service id is taken in the environment, possibly by an erased person. */
export class ServiceIdTaken extends Schema.TaggedError<ServiceIdTaken>(
  "@surety/core/consumer/Consumers/ServiceIdTaken"
)("ServiceIdTaken", { serviceId: ConsumerId }) {
  override get message(): string {
    return "Another consumer has this service_id in this environment."
  }
}

/** The given user id is taken in the environment. */
export class UserIdTaken extends Schema.TaggedError<UserIdTaken>("@surety/core/consumer/Consumers/UserIdTaken")(
  "UserIdTaken",
  { userId: UserId }
) {
  override get message(): string {
    return "Another consumer has this user_id."
  }
}

export class ConsumerNotFound extends Schema.TaggedError<ConsumerNotFound>(
  "@surety/core/consumer/Consumers/ConsumerNotFound"
)("ConsumerNotFound", { serviceId: ConsumerId }) {
  override get message(): string {
    return "No consumer has this service_id in this environment."
  }
}

export class UserIdNotFound extends Schema.TaggedError<UserIdNotFound>(
  "@surety/core/consumer/Consumers/UserIdNotFound"
)("UserIdNotFound", { userId: UserId }) {
  override get message(): string {
    return "No consumer has this user_id in this environment."
  }
}

/** The consumer does not exist, or the merchant has no link to it. */
export class ConsumerNotLinked extends Schema.TaggedError<ConsumerNotLinked>(
  "@surety/core/consumer/Consumers/ConsumerNotLinked"
)("ConsumerNotLinked", { serviceId: ConsumerId }) {
  override get message(): string {
    return "The consumer is not linked to this merchant."
  }
}

export interface ConsumerInput {
  readonly environment: Environment
  /** The host's id for the consumer. Default: generated. */
  readonly id?: UserId
  /** An identifier from another issuer. Default: generated. */
  readonly serviceId?: ConsumerId
  readonly externalId?: string
  readonly displayName?: Redacted.Redacted<string>
  readonly country?: string
  readonly email?: Redacted.Redacted<string>
  readonly phoneVerified: boolean
  /** TEST only. True if `AskLimits` and blocks apply to new requests to this person, as they do in LIVE. */
  readonly askLimits?: boolean
}

/** A consumer to find or create by the host's user id. */
export type EnsuredConsumer = ConsumerInput & { readonly id: UserId }

/** Result of `link`. */
export interface MadeLink {
  readonly consumer: Consumer
  /** True if this call created the link. */
  readonly isNew: boolean
}

/** The host's end users, registered with Surety. */
export class Consumers extends Context.Service<
  Consumers,
  {
    /**
     * Stores a consumer, and links it to the merchant `linkedTo` if given. Fails if the given service id or user id is
     * taken, or if that merchant is unknown, REJECTED or CLOSED.
     */
    readonly create: (
      consumer: ConsumerInput,
      linkedTo: MerchantId | undefined
    ) => Effect.Effect<Consumer, ServiceIdTaken | UserIdTaken | MerchantNotFound | MerchantNotActive | StoreError>

    readonly get: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Consumer, ConsumerNotFound | StoreError>

    readonly getByUserId: (
      environment: Environment,
      userId: UserId
    ) => Effect.Effect<Consumer, UserIdNotFound | StoreError>

    /**
     * Returns the consumer with this user id, or creates it. Leaves the details of an existing consumer unchanged.
     * Links the consumer to the merchant `linkedTo` if given. Concurrent calls create only one consumer.
     *
     * Fails with `UserIdTaken` if the existing consumer's service id differs from the given one. Fails with
     * `ServiceIdTaken` if the given one belongs to a consumer with another user id, or belonged to an erased person.
     * Also fails if the merchant is unknown, REJECTED or CLOSED.
     */
    readonly ensure: (
      consumer: EnsuredConsumer,
      linkedTo: MerchantId | undefined
    ) => Effect.Effect<Consumer, ServiceIdTaken | UserIdTaken | MerchantNotFound | MerchantNotActive | StoreError>

    /**
     * Links the consumer to the merchant, so that the merchant may verify the consumer (managed KYC). Idempotent. Fails
     * if the consumer or the merchant is unknown, or if the merchant is REJECTED or CLOSED.
     */
    readonly link: (
      merchantId: MerchantId,
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<MadeLink, ConsumerNotFound | MerchantNotFound | MerchantNotActive | StoreError>

    /** Removes the link; grants are unaffected. Fails with `ConsumerNotLinked` if no link exists. */
    readonly unlink: (
      merchantId: MerchantId,
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<void, ConsumerNotLinked | StoreError>

    /** Lists the consumers with a link to the merchant, most recently linked first. A grant alone is not a link. */
    readonly listLinked: (
      merchantId: MerchantId,
      environment: Environment,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedConsumer>, StoreError>

    /** Lists the consumers that match every field of `filter`, newest first. */
    readonly list: (
      environment: Environment,
      page: PageRequest,
      filter?: ConsumerFilter
    ) => Effect.Effect<Page<Consumer>, StoreError>
  }
>()("@surety/core/consumer/Consumers") {}

export const layer: Layer.Layer<Consumers, never, ConsumerStore | MerchantStore | SecureRandom.SecureRandom> =
  Layer.effect(
    Consumers,
    Effect.gen(function* () {
      const store = yield* ConsumerStore
      const merchants = yield* MerchantStore
      const random = yield* SecureRandom.SecureRandom

      const findByUserId = (environment: Environment, userId: UserId) =>
        Effect.map(store.list(environment, { limit: 1, cursor: undefined }, { userId }), ({ data }) => Arr.head(data))

      const create = Effect.fn("Consumers.create")(
        function* ({ id, serviceId, ...values }: ConsumerInput, linkedTo: MerchantId | undefined) {
          if (linkedTo !== undefined) yield* openMerchant(merchants, linkedTo, values.environment)
          const draw = Effect.gen(function* () {
            const consumer: Consumer = {
              ...values,
              userId: id ?? (yield* UserId.next),
              serviceId: serviceId ?? (yield* next),
              createdAt: yield* DateTime.now
            }
            return consumer
          })
          const linkOf = ({ createdAt, environment, userId }: Consumer) =>
            linkedTo === undefined ? undefined : { merchantId: linkedTo, environment, userId, createdAt }
          return yield* decideUntilCommitted({
            load: Effect.void,
            decide: () => draw,
            commit: Effect.fnUntraced(function* (consumer) {
              if (yield* store.insert(consumer, linkOf(consumer))) return true
              // If no person has the service id, either the user id is taken or an erased person had the service id.
              const holder = yield* store.findByServiceId(consumer.environment, consumer.serviceId)
              if (Option.isNone(holder) && id !== undefined) {
                const user = yield* findByUserId(consumer.environment, id)
                if (Option.isSome(user)) return yield* new UserIdTaken({ userId: id })
              }
              if (serviceId !== undefined) return yield* new ServiceIdTaken({ serviceId })
              return false
            })
          })
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const get = Effect.fn("Consumers.get")(function* (environment: Environment, serviceId: ConsumerId) {
        const consumer = yield* store.findByServiceId(environment, serviceId)
        if (Option.isNone(consumer)) return yield* new ConsumerNotFound({ serviceId })
        return consumer.value
      })

      const getByUserId = Effect.fn("Consumers.getByUserId")(function* (environment: Environment, userId: UserId) {
        const consumer = yield* findByUserId(environment, userId)
        if (Option.isNone(consumer)) return yield* new UserIdNotFound({ userId })
        return consumer.value
      })

      const existing = Effect.fnUntraced(function* (
        { environment, id, serviceId }: EnsuredConsumer,
        linkedTo: MerchantId | undefined
      ) {
        const found = yield* findByUserId(environment, id)
        if (Option.isNone(found)) return found
        if (serviceId !== undefined && found.value.serviceId !== serviceId)
          return yield* new UserIdTaken({ userId: id })
        if (linkedTo !== undefined) {
          yield* openMerchant(merchants, linkedTo, environment)
          // If the link is refused, the consumer has just been erased and counts as unknown.
          const createdAt = yield* DateTime.now
          const outcome = yield* store.link({ merchantId: linkedTo, environment, userId: id, createdAt })
          if (outcome === "person_unknown") return Option.none()
        }
        return found
      })

      const ensure = Effect.fn("Consumers.ensure")(function* (
        input: EnsuredConsumer,
        linkedTo: MerchantId | undefined
      ) {
        const known = yield* existing(input, linkedTo)
        if (Option.isSome(known)) return known.value
        // A concurrent call may have created the consumer since.
        const unlessCreated = Effect.fnUntraced(function* <E>(refusal: E) {
          const created = yield* existing(input, linkedTo)
          return Option.isSome(created) ? created.value : yield* Effect.fail(refusal)
        })
        return yield* Effect.catchTags(create(input, linkedTo), {
          UserIdTaken: (refusal) => unlessCreated(refusal),
          ServiceIdTaken: (refusal) => unlessCreated(refusal)
        })
      })

      const link = Effect.fn("Consumers.link")(function* (
        merchantId: MerchantId,
        environment: Environment,
        serviceId: ConsumerId
      ) {
        yield* openMerchant(merchants, merchantId, environment)
        const consumer = yield* get(environment, serviceId)
        const { userId } = consumer
        const outcome = yield* store.link({ merchantId, environment, userId, createdAt: yield* DateTime.now })
        if (outcome === "person_unknown") return yield* new ConsumerNotFound({ serviceId })
        return { consumer, isNew: outcome === "linked" }
      })

      const unlink = Effect.fn("Consumers.unlink")(function* (
        merchantId: MerchantId,
        environment: Environment,
        serviceId: ConsumerId
      ) {
        const consumer = yield* store.findByServiceId(environment, serviceId)
        const wasLinked =
          Option.isSome(consumer) && (yield* store.unlink(merchantId, environment, consumer.value.userId))
        if (!wasLinked) return yield* new ConsumerNotLinked({ serviceId })
      })

      return Consumers.of({
        create,
        get,
        getByUserId,
        ensure,
        link,
        unlink,
        listLinked: store.listLinked,
        list: store.list
      })
    })
  )
