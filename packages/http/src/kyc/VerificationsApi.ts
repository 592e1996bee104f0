import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { CodeRequestDocument, VerificationRequestDocument } from "./VerificationFields.js"
import { VerificationRecord } from "./VerificationRecord.js"
import { verificationRefusals } from "./VerificationRefusals.js"

const referencePath = { reference: Schema.String }

/** Managed KYC of consumers with a link or an active grant to the merchant (specification 4.2, contract 8). */
export class VerificationsApi extends HttpApiGroup.make("verifications")
  .add(
    HttpApiEndpoint.post("submit", "/v1/kyc/verifications", {
      headers: idempotencyKeyHeader,
      payload: VerificationRequestDocument,
      success: VerificationRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Verify a person",
        description:
          "Compares a number, and your data about the person, with the KYC provider's records. Send user_id, service_id, " +
          "or both. PENDING if the provider responds later: read it again. REQUIRES_ACTION if the person must act, as nextAction " +
          "says: enter a code, or consent on a page. A number in a format that its kind never has " +
          "is FAILED with id_format. A repeated Idempotency-Key returns the first response, byte for byte, and is " +
          "never charged twice. The body may have up to 16 MiB.",
        refusals: verificationRefusals.submit
      })
    ),
    HttpApiEndpoint.get("get", "/v1/kyc/verifications/:reference", {
      params: referencePath,
      success: VerificationRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a verification",
        description: "By reference or by providerReference, while you are linked to the person.",
        refusals: verificationRefusals.get
      })
    ),
    HttpApiEndpoint.get("list", "/v1/kyc/verifications", {
      query: pagingQuery,
      success: pageOf(VerificationRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List verifications",
        description: "Newest first; only of people to whom you are linked.",
        refusals: verificationRefusals.list
      })
    ),
    HttpApiEndpoint.post("submitCode", "/v1/kyc/verifications/:reference/code", {
      params: referencePath,
      payload: CodeRequestDocument,
      success: VerificationRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Submit the person's one-time code",
        description:
          "For a verification that is REQUIRES_ACTION with a nextAction of type CODE. A wrong code leaves it there; " +
          "the third ends it as FAILED with code_wrong.",
        refusals: verificationRefusals.submitCode
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Verifications", description: "Managed KYC." })) {}
