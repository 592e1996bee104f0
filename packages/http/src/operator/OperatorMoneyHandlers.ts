import { MerchantId, RefundId } from "@surety/core/Ids"
import { parseAccountId } from "@surety/core/ledger/AccountId"
import { Ledger } from "@surety/core/ledger/Ledger"
import { OperatorTransfers, transferPosted } from "@surety/core/ledger/OperatorTransfers"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { FourEyes } from "@surety/core/operator/approval/FourEyes"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Refunds } from "@surety/core/refund/Refunds"
import { Data, Effect, type Layer, Option } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentOperator, type OperatorAccess } from "../access/OperatorAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { replayedHeader } from "../form/KeyedForm.js"
import { makeActing } from "./ActingOperator.js"
import { postingRecord } from "./LedgerRecord.js"
import { operatorMoneyRefusals, operatorRefundRecord, operatorTransferJson } from "./OperatorMoneyApi.js"
import { operatorNotFound } from "./operatorNotFound.js"
import { readTransfer } from "./readTransfer.js"

/** The account id in the path is malformed, or the account has no postings. */
export class AccountNotFound extends Data.TaggedError("AccountNotFound") {}

const merchantIn = pathId(MerchantId, "merchant_not_found")
const refundIn = pathId(RefundId, operatorNotFound.refund)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorMoney">,
  never,
  Approvals | OperatorAccess | OperatorActions | Refunds | OperatorTransfers | Ledger
> = HttpApiBuilder.group(
  Api,
  "operatorMoney",
  Effect.fnUntraced(function* (handlers) {
    const refunds = yield* Refunds
    const transfers = yield* OperatorTransfers
    const ledger = yield* Ledger
    const acting = yield* makeActing
    const approvals = yield* Approvals
    const fourEyes = yield* FourEyes

    return handlers
      .handle("listRefunds", ({ query }) =>
        answer(
          operatorMoneyRefusals.listRefunds,
          Effect.gen(function* () {
            const { environment = "LIVE", from: since, merchantId, reference, status, to: until } = query
            const filter = { environment, merchantId, status, paymentId: query.transactionId, reference, since, until }
            const key = ["operatorMoney.listRefunds", environment] as const
            const found = yield* readPage(key, query, (page) => refunds.listAll(filter, page))
            return { environment, ...toPage(found, operatorRefundRecord) }
          })
        )
      )
      .handle("getRefund", ({ params }) =>
        answer(
          operatorMoneyRefusals.getRefund,
          Effect.gen(function* () {
            return operatorRefundRecord(yield* refunds.getAny(yield* refundIn(params.refundId)))
          })
        )
      )
      .handleRaw("postTransfer", ({ request }) =>
        answer(
          operatorMoneyRefusals.postTransfer,
          Effect.gen(function* () {
            const { key, merchantId, money, ...sent } = yield* readTransfer(request)
            const party =
              sent.serviceId === undefined
                ? { merchantId: yield* merchantIn(merchantId ?? "") }
                : { serviceId: sent.serviceId }
            const { direction, environment = "LIVE", kind, reason } = sent
            const input = {
              kind,
              environment,
              amount: money,
              party,
              reason,
              ...(direction === undefined ? {} : { direction })
            }
            const { name } = yield* CurrentOperator
            const { posted, replayed } = yield* fourEyes.inHttp
              ? approvals.postAlone(key, input, name)
              : acting(transfers.post(key, input), (made) => (made.replayed ? undefined : transferPosted(made.posted)))
            return jsonAnswer(yield* Exchange, operatorTransferJson(posted), 201, replayed ? replayedHeader : undefined)
          })
        )
      )
      .handle("listPostings", ({ params, query }) =>
        answer(
          operatorMoneyRefusals.listPostings,
          Effect.gen(function* () {
            const account = parseAccountId(params.accountId)
            if (Option.isNone(account)) return yield* new AccountNotFound()
            const key = ["operatorMoney.listPostings", params.accountId] as const
            const found = yield* readPage(key, query, (page) => ledger.postings(account.value, page))
            // An unknown account has no postings, so its first page is empty. An account opened without a posting
            // counts as unknown, too.
            if (found.data.length === 0 && query.cursor === undefined) return yield* new AccountNotFound()
            return { environment: account.value.environment, ...toPage(found, postingRecord) }
          })
        )
      )
  })
)
