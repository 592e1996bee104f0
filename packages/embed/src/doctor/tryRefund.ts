import * as Finding from "@surety/core/DoctorFinding"
import type { HostError } from "../host/onHostError.js"
import type { Outcome } from "../Outcome.js"
import type { Surety } from "../Surety.js"

export interface Trial {
  /**
   * The host's id of the user who receives the trial refund. If the host has its own wallet system, the user needs a
   * wallet there.
   */
  readonly userId: string
  /**
   * Failures of the host's parts, oldest first. Undefined if the host created the Surety, whose `onError` gets them.
   */
  readonly failures: ReadonlyArray<HostError> | undefined
}

const environment = "TEST"

/** `externalId` is fixed, so every run uses the same merchant. */
const application = {
  externalId: "surety-doctor",
  name: "Doctor",
  legalName: "Doctor of the platform",
  contactName: "The platform's team",
  contactEmail: "doctor@platform.example",
  country: "NG",
  businessType: "test"
}

/** Amount of the trial refund in kobo: one naira. */
const amountMinor = 100n

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const notReplayed =
  "Repeating it was not a replay, so a retry may pay twice. If the store is your own, run the laws of @surety/testing " +
  "on it; else report this as a bug."

const logged = "onError and the log have the cause."

const causeOf = (part: string, { failures }: Trial): string => {
  const failure = failures?.filter((each) => each.part === part).at(-1)
  if (failure !== undefined) return `${failure.operation} failed: ${messageOf(failure.cause)}`
  return failures === undefined ? logged : "It did not respond in time."
}

type Failed = Extract<Outcome<never, { readonly _tag: string; readonly message: string }>, { readonly ok: false }>

const whyOf = ({ error }: Failed): string => `${error._tag}: ${error.message}`

const storeFault = (what: string, failed: Failed): string =>
  `Its ${what} could not be created. ${whyOf(failed)} ${logged}`

const refundFault = (error: Surety.RefundError, trial: Trial): Finding.Finding => {
  if (error._tag === "RefundOutcomeUnknown") {
    return Finding.fault("wallet", `It did not confirm or decline the refund. ${causeOf("wallet", trial)}`)
  }
  if (error._tag === "RefundRefused" && error.reason._tag === "WalletDeclined") {
    return Finding.fault(
      "wallet",
      `It declined the refund: ${error.reason.reason.replace(/\.$/, "")}. Pass --user with the id of one of your test users who has a wallet; ` +
        `${trial.userId} was tried.`
    )
  }
  return Finding.fault("refund", `It was refused. ${whyOf({ ok: false, error })} ${logged}`)
}

/**
 * Refunds one naira in TEST through the configured store and wallet. Repeats a successful request to check that it is
 * replayed. Then reads four of the person's identity fields from the configured directory. Leaves TEST records under
 * the doctor's merchant, such as a payment, a refund, a revoked grant and a read.
 */
export const tryRefund = async (surety: Surety, trial: Trial): Promise<ReadonlyArray<Finding.Finding>> => {
  const { userId } = trial
  const merchant = await surety.merchants.ensure(application)
  if (!merchant.ok) return [Finding.fault("refund", storeFault("merchant", merchant))]
  const scope = { merchantId: merchant.value.id, environment } as const
  const consumer = await surety.consumers.ensure({ environment, userId, linkedTo: scope.merchantId })
  if (!consumer.ok) return [Finding.fault("refund", storeFault("consumer", consumer))]
  const payment = await surety.payments.record({ ...scope, userId, amountMinor })
  if (!payment.ok) return [Finding.fault("refund", storeFault("payment", payment))]
  const request = { ...scope, idempotencyKey: payment.value.id, transactionId: payment.value.id }
  const refund = await surety.refunds.create(request)
  const findings = [
    refund.ok
      ? Finding.ok(
          "refund",
          `${refund.value.id} of ${refund.value.amount} ${refund.value.currency} is ${refund.value.status}.`
        )
      : refundFault(refund.error, trial)
  ]
  if (refund.ok) {
    const again = await surety.refunds.create(request)
    if (!again.ok || !again.value.replayed) findings.push(Finding.fault("refund", notReplayed))
  }
  return [...findings, await tryDirectory(surety, trial, scope)]
}

const tryDirectory = async (
  surety: Surety,
  trial: Trial,
  scope: { readonly merchantId: string; readonly environment: "TEST" }
): Promise<Finding.Finding> => {
  const { userId } = trial
  const fields = ["display_name", "country", "email", "phone_verified"]
  const grant = await surety.grants.create({ ...scope, userId, fields, purpose: "To check the directory." })
  if (!grant.ok) return Finding.fault("directory", storeFault("grant", grant))
  const read = await surety.identity.read({ ...scope, userId })
  // Each run creates a grant, so active grants would otherwise accumulate.
  await surety.grants.revoke({ grantId: grant.value.id, reason: "The check is over." })
  if (!read.ok) return Finding.fault("directory", `${whyOf(read)} ${causeOf("directory", trial)}`)
  const told = Object.entries(read.value.fields).flatMap(([field, value]) =>
    field === "service_id" || value === null ? [] : [field]
  )
  return Finding.ok(
    "directory",
    told.length === 0 ? `It has no values for ${userId}.` : `It returned ${told.join(", ")}.`
  )
}
