import { ReceiptBody, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { ReceiptId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { listOf, pageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { GrantRecord } from "./GrantRecord.js"

/** A receipt as returned to its merchant: as JSON, and as a JWS that third parties can verify. */
export const GrantReceiptRecord = Schema.Struct({
  id: ReceiptId,
  sequence: Schema.Int,
  previousHash: ReceiptHash,
  hash: ReceiptHash.annotateKey({
    description: "SHA-256 in hex of previousHash, as shown here, followed by the canonical JSON (RFC 8785) of receipt."
  }),
  receipt: ReceiptBody,
  jws: Schema.String.annotate({
    description:
      "The receipt and its place in the chain as a compact JWS (RFC 7515, Ed25519), verified by /.well-known/jwks.json."
  })
}).annotate({ identifier: "GrantReceipt" })

const grantPath = { grantId: Schema.String }

export const grantRefusals = {
  list: {},
  get: { GrantNotFound: "grant_not_found" },
  receipts: { GrantNotFound: "grant_not_found" }
} as const

/** A merchant's grants and the receipts that prove them (contract 7). */
export class GrantsApi extends HttpApiGroup.make("grants")
  .add(
    HttpApiEndpoint.get("list", "/v1/grants", {
      query: {
        service_id: Schema.optionalKey(
          ServiceId.pipe(Schema.annotateEncoded({ description: "Only grants of this person." }))
        ),
        ...pagingQuery
      },
      success: pageOf(GrantRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List grants",
        description: "Newest first, including ended ones; only one person's grants if service_id is given.",
        refusals: grantRefusals.list
      })
    ),
    HttpApiEndpoint.get("get", "/v1/grants/:grantId", {
      params: grantPath,
      success: GrantRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a grant",
        description: "With its fields, its end, and its status.",
        refusals: grantRefusals.get
      })
    ),
    HttpApiEndpoint.get("receipts", "/v1/grants/:grantId/receipts", {
      params: grantPath,
      success: listOf(GrantReceiptRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List the receipts of a grant",
        description:
          "Oldest first: one for its start and, once it has ended, one for its end. Each as JSON, and as a JWS that proves it to a " +
          "third party with the keys at /.well-known/jwks.json.",
        refusals: grantRefusals.receipts
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Grants", description: "What people have allowed, with proof." })) {}
