import { type ConsumerInput, Consumers, type EnsuredConsumer } from "@surety/core/consumer/Consumers"
import { consumerChange } from "@surety/core/consumer/changeConsumer"
import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText, identifierText } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { PersonRights } from "@surety/core/person/PersonRights"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainConsumer, plainLinkedConsumer } from "../record/Merchants.js"
import { nameOf, recorded } from "./input/actor.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { HostUserId, personFields, scopeFields, serviceIdOf } from "./input/scopeAndPerson.js"

const details = {
  environment: Environment,
  serviceId: Schema.optionalKey(ServiceId),
  externalId: Schema.optionalKey(identifierText(128)),
  displayName: Schema.optionalKey(filledText(120)),
  country: Schema.optionalKey(Country),
  email: Schema.optionalKey(EmailAddress),
  phoneVerified: Schema.optionalKey(Schema.Boolean),
  /** TEST only: applies the LIVE limits to data requests for this person. */
  askLimits: Schema.optionalKey(Schema.Boolean)
}

const Details = Schema.Struct(details)

const linking = { linkedTo: Schema.optionalKey(MerchantId) }

const inputOf = ({ displayName, email, phoneVerified = false, ...values }: typeof Details.Type): ConsumerInput => ({
  ...values,
  phoneVerified,
  ...(displayName === undefined ? {} : { displayName: Redacted.make(displayName) }),
  ...(email === undefined ? {} : { email: Redacted.make(email) })
})

const askLimitsInLive = new InvalidInput({
  faults: [{ path: ["askLimits"], code: "not_allowed_value", detail: "Only a TEST consumer has askLimits: omit it." }]
})

/** Rejects `askLimits: true` in LIVE, where the limits always apply. */
const checkAskLimits = ({ askLimits = false, environment }: typeof Details.Type) =>
  askLimits && environment === "LIVE" ? Effect.fail(askLimitsInLive) : Effect.void

/** The fields of a correction. Null removes a detail. */
export const correctionFields = {
  displayName: Schema.optionalKey(Schema.NullOr(filledText(120))),
  country: Schema.optionalKey(Schema.NullOr(Country)),
  email: Schema.optionalKey(Schema.NullOr(EmailAddress)),
  phoneVerified: Schema.optionalKey(Schema.Boolean),
  externalId: Schema.optionalKey(Schema.NullOr(identifierText(128)))
}

/** Consumers are the host's end users. In every call, `userId` is the host's own id of a user. */
export const consumers = (run: Run) => ({
  /**
   * Creates a consumer, linked to `linkedTo` if given. Pass your own `userId`, and a `serviceId` if you have already
   * issued identifiers. Omitted ids are generated. Fails with `UserIdTaken` or `ServiceIdTaken` if an id is in use.
   */
  create: call(
    run,
    Schema.Struct({ userId: Schema.optionalKey(HostUserId), ...details, ...linking }),
    ({ linkedTo, userId, ...given }) =>
      Effect.gen(function* () {
        const service = yield* Consumers
        yield* checkAskLimits(given)
        const input = userId === undefined ? inputOf(given) : { ...inputOf(given), id: userId }
        return plainConsumer(yield* service.create(input, linkedTo))
      })
  ),

  /**
   * Returns the existing consumer with this `userId`, or creates one with these details. Links it to `linkedTo` if
   * given. Concurrent calls create one consumer. Does not change an existing consumer's details (see `update`). After
   * an erasure, the person's `userId` is free, and a call with it creates a new consumer. Fails with `UserIdTaken` if
   * the existing consumer has another `serviceId`, or with `ServiceIdTaken` if another consumer has the given one.
   *
   * @example
   * await surety.consumers.ensure({ environment: "LIVE", userId: "user-7", displayName: "Ada Obi" })
   */
  ensure: call(run, Schema.Struct({ userId: HostUserId, ...details, ...linking }), ({ linkedTo, userId, ...given }) =>
    Effect.gen(function* () {
      const service = yield* Consumers
      yield* checkAskLimits(given)
      const input: EnsuredConsumer = { ...inputOf(given), id: userId }
      return plainConsumer(yield* service.ensure(input, linkedTo))
    })
  ),

  get: call(run, Schema.Struct({ environment: Environment, ...personFields }), ({ environment, ...person }) =>
    Effect.gen(function* () {
      const service = yield* Consumers
      return plainConsumer(yield* service.get(environment, yield* serviceIdOf(environment, person)))
    })
  ),

  /**
   * Changes the given details; null removes one. Any change is recorded as an operator action with its `reason`.
   * Merchants with an active grant for a changed field get `merchant.identity.data_changed`. Same as `people.rectify`.
   */
  update: call(
    run,
    Schema.Struct({
      environment: Environment,
      ...personFields,
      ...correctionFields,
      reason: filledText(500),
      ...recorded
    }),
    ({ actor, environment, reason, serviceId, userId, ...change }) =>
      Effect.gen(function* () {
        const rights = yield* PersonRights
        const person = yield* serviceIdOf(environment, { serviceId, userId })
        const command = { environment, serviceId: person, actor: nameOf(actor), actorKind: "HOST", reason } as const
        return plainConsumer(yield* rights.rectify({ ...command, change: consumerChange(change) }))
      })
  ),

  /** Newest first. Filters are combined with AND. `email` ignores letter case. */
  list: call(
    run,
    Schema.Struct({
      environment: Environment,
      userId: personFields.userId,
      externalId: Schema.optionalKey(identifierText(128)),
      email: Schema.optionalKey(EmailAddress),
      ...pagingFields
    }),
    ({ email, environment, externalId, userId, ...page }) =>
      Effect.flatMap(Consumers, (service) =>
        Effect.map(
          readHostPage(["operator.listConsumers", environment], page, (request) =>
            service.list(environment, request, {
              externalId,
              userId,
              email: email === undefined ? undefined : Redacted.make(email, { label: "email" })
            })
          ),
          (found) => toPage(found, plainConsumer)
        )
      )
  ),

  /** Links the consumer to the merchant, so that the merchant may verify the consumer. Idempotent. */
  link: call(run, Schema.Struct({ ...scopeFields, ...personFields }), ({ environment, merchantId, ...person }) =>
    Effect.gen(function* () {
      const service = yield* Consumers
      const serviceId = yield* serviceIdOf(environment, person)
      return plainConsumer((yield* service.link(merchantId, environment, serviceId)).consumer)
    })
  ),

  /** Removes the merchant's link to the consumer. Grants stay. Returns the consumer. */
  unlink: call(run, Schema.Struct({ ...scopeFields, ...personFields }), ({ environment, merchantId, ...person }) =>
    Effect.gen(function* () {
      const service = yield* Consumers
      const serviceId = yield* serviceIdOf(environment, person)
      yield* service.unlink(merchantId, environment, serviceId)
      return plainConsumer(yield* service.get(environment, serviceId))
    })
  ),

  /** Consumers linked to the merchant, latest link first. Excludes consumers known only through a grant. */
  listLinked: call(run, Schema.Struct({ ...scopeFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(Consumers, (service) =>
      Effect.map(
        readHostPage(["operator.listLinks", merchantId, environment], page, (request) =>
          service.listLinked(merchantId, environment, request)
        ),
        (found) => toPage(found, plainLinkedConsumer)
      )
    )
  )
})
