import type { Verification } from "../Interface.generated.js"
import { SuretyError } from "../SuretyError.js"
import type { CallOptions } from "./CallOptions.js"
import { pause } from "./pause.js"
import type { Runtime } from "./Runtime.js"

/** How long to wait for a verification. */
export interface WaitOptions {
  /** Default 120,000. A provider may take a day. */
  readonly timeoutMillis?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The wait is over and the verification is still `PENDING`: wait again later, or ask with `get`. */
export class StillPending extends SuretyError {
  /** The verification as it was read last. */
  readonly verification: Verification

  constructor(verification: Verification, millis: number) {
    super(`verifications.waitFor: ${verification.reference} is still PENDING after ${millis} ms`)
    this.verification = verification
  }
}

const firstMillis = 1_000
const growth = 1.5
const largestMillis = 15_000

/** Reads until the verification is settled or time is up. What reading rejects with, it rejects with. */
export const waitUntilSettled = async (
  read: (options: CallOptions) => Promise<Verification>,
  { elapsedMillis }: Runtime,
  { signal, timeoutMillis = 120_000 }: WaitOptions = {}
): Promise<Verification> => {
  const endsAt = elapsedMillis() + timeoutMillis
  for (let millis = firstMillis; ; millis = Math.min(largestMillis, millis * growth)) {
    const verification = await read({ signal })
    if (verification.status !== "PENDING") return verification
    if (elapsedMillis() + millis > endsAt) throw new StillPending(verification, timeoutMillis)
    // An ended signal makes the next reading reject, with its reason.
    await pause(millis, signal)
  }
}
