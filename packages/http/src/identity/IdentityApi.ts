import { IdentityRecord } from "@surety/core/consent/read/IdentityRecord"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { IdentityFieldList } from "../field/IdentityFieldNames.js"
import { ServiceId } from "../field/ServiceId.js"
import { problems } from "../problem/ProblemDetails.js"

const Identity = Schema.Struct({
  ...IdentityRecord.fields,
  fields: IdentityRecord.fields.fields.annotate({
    description: "Approved fields with the values of now; null where the person has none."
  }),
  notApproved: IdentityRecord.fields.notApproved.annotate({
    description: "Why each other field that was asked for, or that there is, may not be read."
  })
}).annotate({ identifier: "Identity" })

/** How merchants read what people have approved (specification 4.2, contract 7). */
export class IdentityApi extends HttpApiGroup.make("identity")
  .add(
    HttpApiEndpoint.get("read", "/v1/identity", {
      query: { service_id: ServiceId, fields: Schema.optionalKey(IdentityFieldList) },
      success: Identity,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read the approved fields of a person",
        description:
          "The values are those of now; one that the person does not have is null. notApproved tells why each other " +
          "field is not there. Every reading is recorded.",
        codes: ["merchant_code_not_accepted", "consent_required"]
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Identity", description: "Read what people have approved." })) {}
