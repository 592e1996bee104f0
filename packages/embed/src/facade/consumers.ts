import { Consumers } from "@surety/core/consumer/Consumers"
import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { ConsumerRecord, consumerRecord } from "@surety/http/consumer/ConsumerRecord"
import { toPage } from "@surety/http/field/Paging"
import { ServiceId } from "@surety/http/field/ServiceId"
import { ConsumerRequest, LinkedConsumerRecord } from "@surety/http/operator/OperatorApi"
import { Effect, Redacted, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const record = plain(ConsumerRecord)
const linkedRecord = plain(LinkedConsumerRecord)
const answered = (consumer: Parameters<typeof consumerRecord>[0]) => record(consumerRecord(consumer))

/** End users, as the host makes them known. */
export const consumers = (run: Run) => ({
  /**
   * Makes a user known, in LIVE unless told, and linked to `linkedTo` where it is given. Bring `userId`, and `serviceId`
   * where identifiers were issued elsewhere; what is absent is made.
   */
  create: call(
    run,
    Schema.Struct({ ...ConsumerRequest.fields, linkedTo: Schema.optionalKey(MerchantId) }),
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
          answered
        )
      )
  ),

  get: call(run, Schema.Struct({ environment: Environment, serviceId: ServiceId }), ({ environment, serviceId }) =>
    Effect.flatMap(Consumers, (service) => Effect.map(service.get(environment, serviceId), answered))
  ),

  /** Newest first. */
  list: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Consumers, (service) =>
      Effect.map(
        readPage(["operator.listConsumers", environment], page, (request) => service.list(environment, request)),
        (found) => toPage(found, answered)
      )
    )
  ),

  /** Lets a merchant name the user. Linking twice is the same as once. */
  link: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => Effect.map(service.link(merchantId, environment, serviceId), answered))
  ),

  /** Takes the link away; what the person has granted stays. */
  unlink: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => service.unlink(merchantId, environment, serviceId))
  ),

  /** Those whom the merchant may name, linked last first; not those of whom it has but a grant. */
  listLinked: call(run, Schema.Struct({ ...scopeFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(Consumers, (service) =>
      Effect.map(
        readPage(["operator.listLinks", merchantId, environment], page, (request) =>
          service.listLinked(merchantId, environment, request)
        ),
        (found) => toPage(found, (linked) => linkedRecord(linked))
      )
    )
  )
})
