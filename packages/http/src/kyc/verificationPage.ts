import type { Verification } from "@surety/core/kyc/verification/Verification"
import { answerBody } from "@surety/core/kyc/verification/VerificationRecord"
import type { Page } from "@surety/core/Page"

/** A list's answer as JSON text, each verification as it is answered alone. */
export const verificationPage = ({ data, nextCursor }: Page<Verification>): string => {
  const next = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return `{"data":[${data.map(answerBody).join(",")}]${next}}`
}
