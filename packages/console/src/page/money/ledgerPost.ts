import { fromCode } from "@surety/core/Currency"
import { parse as parseConsumerId } from "@surety/core/consumer/ConsumerId"
import { MerchantId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import type { TransferParty } from "@surety/core/ledger/OperatorTransfers"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import type { ProposedTransfer } from "@surety/core/operator/approval/Proposal"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { PersonStore } from "@surety/core/person/PersonStore"
import { html } from "@surety/page-kit/Html"
import { DateTime, Effect, Option, Result, Schema } from "effect"
import { changeForm, choices, textField } from "../../screen/changeForm.js"
import { head, moneyOf, note } from "../../screen/parts.js"
import { type ConsolePage, FormRefused, type PageView, type SentChange } from "../ConsolePage.js"
import { typedAmount } from "./typedAmount.js"

const readMerchant = Schema.decodeUnknownOption(MerchantId)

const kinds = [
  { value: "FUNDING", title: "Funding", text: "Money from outside comes in." },
  { value: "PAYOUT", title: "Payout", text: "A merchant’s settlement goes to its bank." },
  { value: "WITHDRAWAL", title: "Withdrawal", text: "A person’s wallet goes to a bank." },
  { value: "ADJUSTMENT.CREDIT", title: "Adjustment (credit)", text: "A correction in favour of the account." },
  { value: "ADJUSTMENT.DEBIT", title: "Adjustment (debit)", text: "A correction against the account." }
] as const

const readKind = (value: string) => {
  const [name, way] = value.split(".")
  const kind = Option.getOrUndefined(Schema.decodeUnknownOption(OperatorTransferKind)(name))
  const direction = Option.getOrUndefined(Schema.decodeUnknownOption(AdjustmentDirection)(way))
  return kinds.some((known) => known.value === value) && kind !== undefined ? { kind, direction } : undefined
}

const refuse = (message: string, field?: string) =>
  new FormRefused({ message, ...(field === undefined ? {} : { field }) })

/**
 * Parses the transfer's party: the id of an existing merchant, or of a person in this environment who has not been
 * erased. Fails with `FormRefused` for any other value.
 */
const readParty = Effect.fnUntraced(function* (view: PageView, text: string) {
  const merchantId = Option.getOrUndefined(readMerchant(text))
  if (merchantId !== undefined) {
    yield* (yield* Merchants)
      .get(merchantId)
      .pipe(Effect.catchTag("MerchantNotFound", () => Effect.fail(refuse("Merchant not found.", "party"))))
    const party: TransferParty = { merchantId }
    return party
  }
  const serviceId = parseConsumerId(text)
  const person = Result.isSuccess(serviceId)
    ? yield* (yield* PersonStore).find(view.environment, serviceId.success)
    : Option.none()
  if (Result.isFailure(serviceId) || !Option.exists(person, ({ erasedAt }) => erasedAt === undefined)) {
    return yield* refuse("Write the id of a merchant, or the identifier of a person of this environment.", "party")
  }
  const party: TransferParty = { serviceId: serviceId.success }
  return party
})

const readTransfer = Effect.fnUntraced(function* (view: PageView, { form }: SentChange) {
  const chosen = readKind(form.first("kind") ?? "")
  if (chosen === undefined) return yield* refuse("Choose what kind of transfer it is.", "kind")
  const { direction, kind } = chosen
  const currency = fromCode((form.first("currency") ?? "").trim())
  if (currency === undefined) return yield* refuse("Write a currency of ISO 4217, such as NGN.", "currency")
  const amount = typedAmount(form.first("amount") ?? "", currency)
  if (amount === undefined) return yield* refuse(`Write an amount above 0 in ${currency}, such as 1,000.00.`, "amount")
  const party = yield* readParty(view, (form.first("party") ?? "").trim())
  if (kind === "PAYOUT" && !("merchantId" in party)) return yield* refuse("A payout is a merchant’s.", "party")
  if (kind === "WITHDRAWAL" && "merchantId" in party) return yield* refuse("A withdrawal is a person’s.", "party")
  return { kind, ...(direction === undefined ? {} : { direction }), amount, party }
})

/**
 * Returns the idempotency key for one rendering of the form. Submitting that rendering again posts no second transfer
 * and makes no second proposal. Returns `undefined` if the form's rendering time is missing or malformed.
 */
const keyOf = ({ session }: PageView, { form }: SentChange) => {
  const drawn = form.first("drawn") ?? ""
  return /^\d{13}$/u.test(drawn) ? IdempotencyKey.make(`console_${session.id}_${drawn}`) : undefined
}

const reused = () => Effect.fail(refuse("This form has been sent before with other values. Open it again."))

/** `ledger/post`: a form that posts a transfer, or proposes it if the policy requires a second operator. */
export const ledgerPostPage: ConsolePage = {
  path: "ledger/post",
  room: "ledger",
  role: "money",
  show: (view) =>
    Effect.succeed({
      title: "Post a transfer",
      body: html`${head({ crumb: html`<a href="${view.href("ledger")}">Ledger</a> /`, title: "Post a transfer" })}
<section class="panel mid" aria-label="Transfer">${changeForm(view, {
        name: "post",
        button: "Post",
        stops: true,
        fields: html`<input type="hidden" name="drawn" value="${DateTime.toEpochMillis(view.now)}">${choices(
          view,
          "post",
          {
            name: "kind",
            label: "Kind",
            options: kinds
          }
        )}${textField(view, "post", {
          name: "party",
          label: "Whose account",
          hint: "merchant_… or a person’s SR1-…",
          value: view.query.get("party") ?? ""
        })}<div class="two">${textField(view, "post", { name: "amount", label: "Amount", hint: "Such as 1,000.00" })}${textField(view, "post", { name: "currency", label: "Currency", value: "NGN", longest: 3 })}</div>${note("info", "Large transfers and adjustments wait for a second operator, and so do small ones once yours of 24 hours add up to a large one. No account may fall below zero.")}`,
        hint: "For example, the bank’s reference.",
        back: view.href("ledger")
      })}</section>`
    }),
  forms: {
    post: {
      role: commandRoles["transfer.post"],
      done: "Done: a large transfer waits under Approvals, any other is posted.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { environment, session } = view
        const key = keyOf(view, sent)
        if (key === undefined) return yield* refuse("The form is out of date. Open it again.")
        const transfer = yield* readTransfer(view, sent)
        const { amount, kind, party } = transfer
        const approvals = yield* Approvals
        const command: ProposedTransfer = {
          _tag: "Transfer",
          kind,
          amount,
          ...(transfer.direction === undefined ? {} : { direction: transfer.direction }),
          ...party
        }
        const { reason } = sent
        const propose = Effect.asVoid(approvals.propose(key, { environment, command, reason, actor: session.operator }))
        const post = approvals.postAlone(key, { ...transfer, environment, reason }, session.operator).pipe(
          Effect.asVoid,
          Effect.catchTag("SecondOperatorRequired", () => propose)
        )
        // Never posts a transfer that this form has proposed. Approving the proposal would post it a second time.
        const proposed = yield* (yield* ProposalStore).findByKey(environment, key)
        yield* (Option.isSome(proposed) ? propose : post).pipe(
          Effect.catchTags({
            IdempotencyKeyReused: reused,
            InsufficientBalance: ({ balanceMinor: minor, currency }) =>
              Effect.fail(
                refuse(`The account has ${moneyOf({ currency, minor })}: less than the transfer takes.`, "amount")
              ),
            MerchantNotFound: () => Effect.fail(refuse("Merchant not found.", "party")),
            ConsumerNotFound: () => Effect.fail(refuse("Person not found.", "party"))
          })
        )
        return {}
      })
    }
  }
}
