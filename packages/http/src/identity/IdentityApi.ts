import { type Identity, NotApproved } from "@surety/core/consent/read/IdentityRecord"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { IdentityFieldList } from "@surety/core/input/IdentityFieldNames"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { GetOnly, MerchantAccess } from "../access/MerchantAccess.js"
import { directoryUnavailable } from "../consent/ConsentRefusals.js"
import { documented } from "../docs/Documented.js"
import { merchantNotActive } from "../merchant/MerchantRefusals.js"
import { problems } from "../problem/ProblemDetails.js"
import { undocumented } from "../problem/Refusal.js"

export const IdentityRecord = Schema.Struct({
  serviceId: ConsumerId,
  fields: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Approved fields with their current values; null if the person has none."
  }),
  notApproved: Schema.Record(Schema.String, NotApproved).annotate({
    description: "Why each other field may not be read: of the requested ones, or of all known ones if none was named."
  })
}).annotate({ identifier: "Identity" })

export const identityRecord = ({ fields, notApproved, serviceId }: Identity): typeof IdentityRecord.Type => ({
  serviceId,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Redacted.value(value)])),
  notApproved
})

/**
 * Refusals for the errors of the identity route. A REJECTED or CLOSED merchant is normally refused earlier, when its
 * key is checked.
 */
export const identityRefusals = {
  read: {
    ConsentRequired: "consent_required",
    MerchantNotActive: undocumented(merchantNotActive),
    DirectoryUnavailable: directoryUnavailable
  }
} as const

/** Route to read a person's approved identity fields (specification 4.2, contract 7). */
export class IdentityApi extends HttpApiGroup.make("identity")
  .add(
    HttpApiEndpoint.get("read", "/v1/identity", {
      query: { service_id: ServiceId, fields: Schema.optionalKey(IdentityFieldList) },
      success: IdentityRecord,
      error: problems
    })
      .annotate(GetOnly, true)
      .annotateMerge(
        documented({
          summary: "Read the approved fields of a person",
          description:
            "The values are current; null if the person has none. notApproved says why each other " +
            "field is missing. Every read is recorded.",
          refusals: identityRefusals.read
        })
      )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Identity", description: "Read what people have approved." })) {}
