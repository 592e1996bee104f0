import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnswersAnyStatus, FastPath, MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { problems } from "../problem/ProblemDetails.js"

/** The merchant and environment of a key, and the environments whose keys the merchant's status allows (contract 3). */
export const WhoamiRecord = Schema.Struct({
  merchantId: MerchantId,
  name: Schema.String,
  status: MerchantStatus,
  environment: Environment.annotateKey({ description: "The environment of the key that was used." }),
  sandboxAccess: Schema.Boolean.annotateKey({ description: "Whether the status allows TEST keys." }),
  liveAccess: Schema.Boolean.annotateKey({ description: "Whether the status is ACTIVE." })
}).annotate({ identifier: "Whoami" })

export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("whoami", "/v1/whoami", { success: WhoamiRecord, error: problems })
      .annotate(AnswersAnyStatus, true)
      .annotate(FastPath, true)
      .annotateMerge(
        documented({
          summary: "Who am I?",
          description: "Works in every status of the merchant, so that a refused merchant can see why.",
          refusals: {}
        })
      )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "The merchant behind the key." })) {}
