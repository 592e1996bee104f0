import { KycStore } from "@surety/core/kyc/KycStore"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { Effect, Option } from "effect"
import { after, answering, asking, before, edit, editAll, faultsOf } from "../../faults/Fault.js"
import { type Mistake, ofStore } from "./Mistake.js"

const verifications = faultsOf(KycStore)

const verifying = (outcome: KycOutcome): KycOutcome => {
  if (outcome._tag !== "Failed" && outcome._tag !== "Errored") return outcome
  const checks = { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" } as const
  return { _tag: "Verified", providerReference: outcome.providerReference ?? "", checks }
}

export const mistakes: ReadonlyArray<Mistake> = [
  {
    how: "takes what the vendor does not verify for verified",
    violates: ["verified_needs_vendor"],
    parts: {
      vendor: ({ lookup, submit, ...reached }) => ({
        ...reached,
        submit: (submission) => Effect.map(submit(submission), verifying),
        lookup: (query) => Effect.map(lookup(query), Option.map(verifying))
      })
    }
  },
  {
    how: "sends a submission again without a lookup",
    violates: ["paid_once"],
    parts: {
      vendor: (reached) => ({
        ...reached,
        name: reached.name,
        submit: reached.submit,
        lookup: () => Effect.succeedNone
      })
    }
  },
  ofStore(
    ["verified_needs_vendor", "evidence_stays"],
    asking(verifications("settle", "takes an unknown answer for a good one"), ([progress]) => {
      const { verification } = progress
      const status = verification.status === "ERROR" ? "VERIFIED" : verification.status
      return [{ ...progress, verification: { ...verification, status } }]
    })
  ),
  ofStore(
    "evidence_stays",
    asking(verifications("settle", "keeps no evidence"), ([progress]) => [{ ...progress, proof: undefined }])
  ),
  ofStore(
    "answers_never_change",
    before(
      verifications("settle", "keeps the latest answer"),
      (
        state,
        [
          {
            leased: { verification }
          }
        ]
      ) =>
        edit(state.verifications, verification.id, (stored) => ({
          ...stored,
          kept: stored.kept && { ...stored.kept, answer: undefined }
        }))
    )
  ),
  ofStore(
    "one_holder",
    answering(verifications("claim", "gives each lease the first fence"), (leased, state) => {
      editAll(state.verifications, (stored) => ({ ...stored, fence: 1 }))
      return leased.map((one) => ({ ...one, fence: 1 }))
    })
  ),
  ofStore(
    ["receipts_for_all", "chains_unbroken"],
    after(verifications("begin", "begins without a receipt"), (state, decision) => {
      if (decision._tag === "Execute") state.receipts.delete(decision.plan.receipt.id)
    })
  )
]
