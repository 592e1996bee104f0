import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { CurrencyCode } from "@surety/core/input/MoneyInput"
import { filledText } from "@surety/core/input/Text"
import { parseAccountId } from "@surety/core/ledger/AccountId"
import { Ledger } from "@surety/core/ledger/Ledger"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransfers, type TransferParty, transferPosted } from "@surety/core/ledger/OperatorTransfers"
import { transferFaults } from "@surety/core/ledger/transferFaults"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Effect, Option, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { AccountNotFound } from "../NotFound.js"
import { InvalidInput, invalidInput } from "../Outcome.js"
import { plainBalance, plainPosting, plainReplayed, plainTransfer, plainTrialBalance } from "../record/Money.js"
import { nameOf, recorded } from "./input/actor.js"
import { amountFields, readMoneyOf } from "./input/amounts.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { optionalServiceId, personFields } from "./input/scopeAndPerson.js"

const noParty = new InvalidInput({
  faults: [{ path: ["merchantId"], code: "required", detail: "Give merchantId, userId or serviceId." }]
})

const partyOf = (merchantId: MerchantId | undefined, serviceId: ConsumerId | undefined) => {
  const party: TransferParty | undefined =
    merchantId === undefined ? (serviceId === undefined ? undefined : { serviceId }) : { merchantId }
  return party === undefined ? Effect.fail(noParty) : Effect.succeed(party)
}

/** The ledger: balances, postings and transfers. Balances and totals are bigints in minor units. */
export const ledger = (run: Run) => ({
  balances: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Ledger, (service) =>
      Effect.map(
        readHostPage(["operator.balances", environment], page, (request) => service.balances(environment, request)),
        (found) => toPage(found, plainBalance)
      )
    )
  ),

  /** The postings of an account, newest first. `accountId` is an `id` from `balances`. */
  postings: call(run, Schema.Struct({ accountId: Schema.String, ...pagingFields }), ({ accountId, ...page }) =>
    Effect.gen(function* () {
      const service = yield* Ledger
      const account = parseAccountId(accountId)
      if (Option.isNone(account)) return yield* new AccountNotFound({ accountId })
      const key = ["operatorMoney.listPostings", accountId] as const
      const found = yield* readHostPage(key, page, (request) => service.postings(account.value, request))
      // The first posting opens an account, so an account without postings does not exist.
      if (found.data.length === 0 && page.cursor === undefined) return yield* new AccountNotFound({ accountId })
      return toPage(found, plainPosting)
    })
  ),

  /**
   * Moves money into or out of an account, once per `idempotencyKey` and environment. A `PAYOUT` debits a merchant's
   * account, and a `WITHDRAWAL` a person's wallet. `FUNDING` and `ADJUSTMENT` apply to a merchant or a person. The
   * transfer is recorded as an operator action with its `reason`. Fails with `InsufficientBalance` if the balance of a
   * debited account is too low.
   */
  transfer: call(
    run,
    Schema.Struct({
      environment: Environment,
      idempotencyKey: IdempotencyKey,
      kind: OperatorTransferKind,
      /** Only for an `ADJUSTMENT`. Default: `CREDIT`. */
      direction: Schema.optionalKey(AdjustmentDirection),
      merchantId: Schema.optionalKey(MerchantId),
      ...personFields,
      ...amountFields,
      currency: Schema.optionalKey(CurrencyCode),
      reason: filledText(500),
      ...recorded
    }),
    ({ actor, environment, idempotencyKey, kind, merchantId, reason, ...given }) =>
      Effect.gen(function* () {
        const transfers = yield* OperatorTransfers
        const actions = yield* OperatorActions
        const { direction, serviceId: _, userId: __, ...money } = given
        const amount = yield* Effect.fromResult(readMoneyOf(money))
        const serviceId = yield* optionalServiceId(environment, given)
        const faults = transferFaults({ kind, direction, merchantId, serviceId })
        if (faults.length > 0) return yield* invalidInput(faults)
        const party = yield* partyOf(merchantId, serviceId)
        const directed = direction === undefined ? {} : { direction }
        const post = transfers.post(idempotencyKey, { kind, environment, amount, party, reason, ...directed })
        const { posted, replayed } = yield* actions.record(nameOf(actor), post, (made) =>
          made.replayed ? undefined : transferPosted(made.posted)
        )
        return plainReplayed(plainTransfer(posted), replayed)
      })
  ),

  /**
   * Returns total debits and credits by environment and currency, computed from postings, not from stored balances.
   * `balanced` is true if debits equal credits on every line.
   */
  trialBalance: () => run(Effect.flatMap(Ledger, (service) => Effect.map(service.trialBalance, plainTrialBalance))),

  /**
   * Compares records that must agree, such as balances with postings and refunded totals with refunds. `faults` lists
   * the discrepancies.
   */
  audit: () => run(Effect.flatMap(Ledger, (service) => Effect.map(service.audit, (faults) => ({ faults }))))
})
