import { Grants } from "@surety/core/consent/grant/Grants"
import { type Receipt, ReceiptBody } from "@surety/core/consent/receipt/Receipt"
import { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { Consumers } from "@surety/core/consumer/Consumers"
import { GrantId } from "@surety/core/Ids"
import type { PageRequest } from "@surety/core/Page"
import { toPage } from "@surety/core/Page"
import { Effect, type Layer, Option, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { emptyPage, readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { grantRecord } from "./GrantRecord.js"
import { type GrantReceiptRecord, grantRefusals } from "./GrantsApi.js"

const grantIn = pathId(GrantId, "grant_not_found")

const decodeBody = Schema.decodeEffect(Schema.fromJsonString(ReceiptBody))

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "grants">,
  never,
  MerchantAccess | Grants | Receipts | ReceiptSigner | Consumers
> = HttpApiBuilder.group(
  Api,
  "grants",
  Effect.fnUntraced(function* (handlers) {
    const grants = yield* Grants
    const book = yield* Receipts
    const signer = yield* ReceiptSigner
    const consumers = yield* Consumers

    /**
     * Converts a receipt to its record with its signature, `jws`. Only Surety writes receipts, so a stored body that
     * cannot be decoded is a defect.
     */
    const receiptRecord = Effect.fnUntraced(function* (receipt: Receipt) {
      const { body, hash, id, previousHash, sequence } = receipt
      const record: typeof GrantReceiptRecord.Type = {
        id,
        sequence,
        previousHash,
        hash,
        receipt: yield* Effect.orDie(decodeBody(body)),
        jws: yield* signer.sign(receipt)
      }
      return record
    })

    return handlers
      .handle("list", ({ query }) =>
        answer(
          grantRefusals.list,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const found = yield* readPage(
              ["grants.list", scope.merchantId, scope.environment],
              query,
              Effect.fnUntraced(function* (page: PageRequest) {
                if (query.service_id === undefined) return yield* grants.list(scope, { userId: undefined }, page)
                // An unknown person is treated like a person without grants.
                const person = yield* consumers.get(scope.environment, query.service_id).pipe(
                  Effect.asSome,
                  Effect.catchTag("ConsumerNotFound", () => Effect.succeedNone)
                )
                if (Option.isNone(person)) return emptyPage
                return yield* grants.list(scope, { userId: person.value.userId }, page)
              })
            )
            return toPage(found, grantRecord)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          grantRefusals.get,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            return grantRecord(yield* grants.get({ id: yield* grantIn(params.grantId), scope }))
          })
        )
      )
      .handle("receipts", ({ params }) =>
        answer(
          grantRefusals.receipts,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const grant = yield* grants.get({ id: yield* grantIn(params.grantId), scope })
            const receipts = yield* book.listOfGrant(scope, grant)
            return { data: yield* Effect.forEach(receipts, receiptRecord) }
          })
        )
      )
  })
)
