import { samplePayloads } from "@surety/verifier/testing"

/**
 * Builds a JSON body of exactly `bytes` bytes: a sample refund, padded with a list of refunds and a note. Throws if
 * the sample with an empty list and note is already longer.
 */
export const bodyOf = (bytes: number): string => {
  const refund = samplePayloads["refund.completed"]
  const more: Array<object> = []
  const text = (note: string): string => JSON.stringify({ ...refund, more, note })
  const record = JSON.stringify(refund).length + 8
  while (text("").length + record < bytes) {
    const number = String(more.length).padStart(4, "0")
    more.push({ ...refund, refundId: refund.refundId.slice(0, -4) + number, amount: 100 + more.length / 4 })
  }
  return text("x".repeat(bytes - text("").length))
}
