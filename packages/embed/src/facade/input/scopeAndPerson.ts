import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Consumers } from "@surety/core/consumer/Consumers"
import { Environment } from "@surety/core/Environment"
import { MerchantId, UserId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { identifierText } from "@surety/core/input/Text"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Effect, Schema } from "effect"
import { InvalidInput } from "../../Outcome.js"

/** Input fields that name a merchant and an environment. */
export const scopeFields = { merchantId: MerchantId, environment: Environment }

/** Fails with `MerchantNotFound` if the merchant does not exist. For calls whose services assume that it exists. */
export const requireMerchant = (id: MerchantId) =>
  Effect.flatMap(Merchants, (merchants) => Effect.asVoid(merchants.get(id)))

/** Input fields of a list that covers one merchant or, without `merchantId`, all merchants. */
export const listingFields = { merchantId: Schema.optionalKey(MerchantId), environment: Environment }

/** The host's own id of a user: 1 to 128 characters. */
export const HostUserId = identifierText(128).pipe(Schema.decodeTo(Schema.toType(UserId)))

/** Input fields that name a person: the host's own `userId`, the `serviceId` that merchants know, or both. */
export const personFields = {
  userId: Schema.optionalKey(HostUserId),
  serviceId: Schema.optionalKey(ServiceId)
}

/** The ids by which a call names a person. */
export interface GivenPerson {
  readonly userId?: UserId | undefined
  readonly serviceId?: ConsumerId | undefined
}

const personMissing = new InvalidInput({
  faults: [{ path: ["userId"], code: "required", detail: "Give userId or serviceId." }]
})

const personMismatch = new InvalidInput({
  faults: [
    { path: ["serviceId"], code: "not_allowed_value", detail: "Expected the serviceId of this userId, or none." }
  ]
})

const byUserId = (environment: Environment, userId: UserId) =>
  Effect.flatMap(Consumers, (service) => service.getByUserId(environment, userId))

/**
 * Returns the service id of the named person, if any. Fails if `userId` is unknown or its `serviceId` differs from the
 * given one. A `serviceId` without a `userId` is not checked.
 */
export const optionalServiceId = Effect.fnUntraced(function* (
  environment: Environment,
  { serviceId, userId }: GivenPerson
) {
  if (userId === undefined) return serviceId
  const consumer = yield* byUserId(environment, userId)
  return serviceId === undefined || serviceId === consumer.serviceId ? consumer.serviceId : yield* personMismatch
})

/** Like `optionalServiceId`, but also fails if no person is named. */
export const serviceIdOf = Effect.fnUntraced(function* (environment: Environment, person: GivenPerson) {
  return (yield* optionalServiceId(environment, person)) ?? (yield* personMissing)
})

/**
 * Returns the user id by which to filter a list, if a person is named. Fails if `serviceId` is unknown or belongs to a
 * user other than `userId`. A `userId` without a `serviceId` is not checked; if it is unknown, the list is empty.
 */
export const listedUserId = Effect.fnUntraced(function* (environment: Environment, { serviceId, userId }: GivenPerson) {
  if (serviceId === undefined) return userId
  const named = yield* (yield* Consumers).get(environment, serviceId)
  return userId === undefined || userId === named.userId ? named.userId : yield* personMismatch
})
