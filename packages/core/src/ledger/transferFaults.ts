import type { InputFault } from "../input/InputFault.js"
import type { AdjustmentDirection, OperatorTransferKind } from "./OperatorTransfer.js"

/** The kind, direction and party of an operator's transfer, as sent. */
export interface SentTransfer {
  readonly kind: OperatorTransferKind
  readonly direction?: AdjustmentDirection | undefined
  readonly merchantId?: string | undefined
  readonly serviceId?: string | undefined
}

const parties: Readonly<Record<OperatorTransferKind, ReadonlyArray<"merchantId" | "serviceId">>> = {
  PAYOUT: ["merchantId"],
  WITHDRAWAL: ["serviceId"],
  FUNDING: ["merchantId", "serviceId"],
  ADJUSTMENT: ["merchantId", "serviceId"]
}

const partyFaults = (sent: SentTransfer): ReadonlyArray<InputFault> => {
  const allowed = parties[sent.kind]
  const named = (["merchantId", "serviceId"] as const).filter((field) => sent[field] !== undefined)
  const wrong = named.filter((field) => !allowed.includes(field))
  const takes = `Send ${allowed.join(" or ")} for ${sent.kind}.`
  if (wrong.length > 0) return wrong.map((field) => ({ path: [field], code: "not_allowed_value", detail: takes }))
  const [first, second] = named
  if (second !== undefined) {
    return [{ path: [second], code: "not_allowed_value", detail: `Send either ${first} or ${second}.` }]
  }
  return first === undefined ? [{ path: [allowed[0] ?? "merchantId"], code: "required", detail: takes }] : []
}

/**
 * Returns the faults in a transfer's party and direction: a missing, second or wrong party, or a direction for a
 * transfer that is not an adjustment.
 */
export const transferFaults = (sent: SentTransfer): ReadonlyArray<InputFault> => [
  ...partyFaults(sent),
  ...(sent.direction === undefined || sent.kind === "ADJUSTMENT"
    ? []
    : [
        {
          path: ["direction"],
          code: "not_allowed_value",
          detail: "Only an ADJUSTMENT has a direction: omit it."
        } as const
      ])
]
