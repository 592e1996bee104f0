import { Consumers } from "@surety/core/consumer/Consumers"
import { Environment } from "@surety/core/Environment"
import { MerchantId, UserId } from "@surety/core/Ids"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText, identifierText } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainConsumer, plainLinkedConsumer } from "../record/Merchants.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

/** The host's own id of a user. */
const NewUserId = identifierText(128).pipe(Schema.decodeTo(Schema.toType(UserId)))

/** Consumers: the host's end users. */
export const consumers = (run: Run) => ({
  /**
   * Creates a consumer, in LIVE by default, linked to `linkedTo` if given. Pass your own `userId`, and `serviceId` if
   * you issued identifiers before; omitted ids are generated.
   */
  create: call(
    run,
    Schema.Struct({
      environment: Schema.optionalKey(Environment),
      userId: Schema.optionalKey(NewUserId),
      serviceId: Schema.optionalKey(ServiceId),
      externalId: Schema.optionalKey(identifierText(128)),
      displayName: Schema.optionalKey(filledText(120)),
      country: Schema.optionalKey(Country),
      email: Schema.optionalKey(EmailAddress),
      phoneVerified: Schema.optionalKey(Schema.Boolean),
      linkedTo: Schema.optionalKey(MerchantId)
    }),
    ({ displayName, email, environment = "LIVE", linkedTo, phoneVerified = false, userId, ...values }) =>
      Effect.flatMap(Consumers, (service) =>
        Effect.map(
          service.create(
            {
              ...values,
              environment,
              phoneVerified,
              ...(userId === undefined ? {} : { id: userId }),
              ...(displayName === undefined ? {} : { displayName: Redacted.make(displayName) }),
              ...(email === undefined ? {} : { email: Redacted.make(email) })
            },
            linkedTo
          ),
          plainConsumer
        )
      )
  ),

  get: call(run, Schema.Struct({ environment: Environment, serviceId: ServiceId }), ({ environment, serviceId }) =>
    Effect.flatMap(Consumers, (service) => Effect.map(service.get(environment, serviceId), plainConsumer))
  ),

  /** Newest first. */
  list: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Consumers, (service) =>
      Effect.map(
        readHostPage(["operator.listConsumers", environment], page, (request) => service.list(environment, request)),
        (found) => toPage(found, plainConsumer)
      )
    )
  ),

  /** Lets a merchant name the consumer. Repeating it is a no-op. */
  link: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => Effect.map(service.link(merchantId, environment, serviceId), plainConsumer))
  ),

  /** Removes the link. Grants stay. */
  unlink: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => service.unlink(merchantId, environment, serviceId))
  ),

  /** Consumers linked to the merchant, latest link first. Without those known by a grant only. */
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
