import { Environment } from "@surety/core/Environment"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { filledText, identifierText } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { problems } from "../problem/ProblemDetails.js"
import { always } from "../problem/Refusal.js"
import { operatorNotFound } from "./operatorNotFound.js"

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

export const ChangeReason = filledText(500).annotateKey({
  description: "Stored with the change. Write no personal data into it."
})

/** Null removes a detail; `phoneVerified` cannot be null. */
export const ConsumerChangeRequest = Schema.Struct({
  environment: Schema.optionalKey(DefaultLive),
  displayName: Schema.optionalKey(Schema.NullOr(filledText(120))),
  country: Schema.optionalKey(Schema.NullOr(Country)),
  email: Schema.optionalKey(Schema.NullOr(EmailAddress)),
  phoneVerified: Schema.optionalKey(Schema.Boolean),
  externalId: Schema.optionalKey(Schema.NullOr(identifierText(128))),
  reason: ChangeReason
}).annotate({ identifier: "ConsumerChangeRequest" })

const path = { serviceId: Schema.String }

const knownConsumer = { ConsumerNotFound: always(operatorNotFound.consumer) } as const

export const operatorConsumerRefusals = { getConsumer: knownConsumer, changeConsumer: knownConsumer } as const

/** Routes that read and correct the details of one consumer (contract 15.2). */
export class OperatorConsumersApi extends HttpApiGroup.make("operatorConsumers")
  .add(
    HttpApiEndpoint.get("getConsumer", "/operator/consumers/:serviceId", {
      params: path,
      query: { environment: Schema.optionalKey(DefaultLive) },
      success: ConsumerRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a consumer",
        description: "With the platform's data about the person.",
        refusals: operatorConsumerRefusals.getConsumer
      })
    ),
    HttpApiEndpoint.patch("changeConsumer", "/operator/consumers/:serviceId", {
      params: path,
      payload: ConsumerChangeRequest,
      success: ConsumerRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Correct a consumer's details",
        description:
          "Changes only the fields in the body; null removes a detail. The action keeps a keyed hash of each old value. Every merchant " +
          "with a grant in force for a changed field gets merchant.identity.data_changed.",
        refusals: operatorConsumerRefusals.changeConsumer
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({ title: "Operator: consumers", description: "What the platform knows about a person." })
  ) {}
