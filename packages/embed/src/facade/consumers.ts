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

/** Consumers: the host's end users. */
export const consumers = (run: Run) => ({
  /**
   * Creates a consumer, in LIVE by default, linked to `linkedTo` if given. Pass your own `userId`, and `serviceId` if
   * you issued identifiers before; omitted ids are generated.
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

  /** Lets a merchant name the consumer. Repeating it is a no-op. */
  link: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => Effect.map(service.link(merchantId, environment, serviceId), answered))
  ),

  /** Removes the link. Grants stay. */
  unlink: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ environment, merchantId, serviceId }) =>
    Effect.flatMap(Consumers, (service) => service.unlink(merchantId, environment, serviceId))
  ),

  /** Consumers linked to the merchant, latest link first. Without those known by a grant only. */
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
