import { type Call, callOf } from "../call/Call.js"
import type { CallOptions, KeyedCallOptions } from "../call/CallOptions.js"
import type { Runtime } from "../call/Runtime.js"
import type { Send } from "../call/send.js"
import { StillPending, type WaitOptions, waitUntilSettled } from "../call/waitUntilSettled.js"
import type { Query } from "../Given.js"
import type { Verification, VerificationCodeRequest, VerificationRequest } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/** Managed KYC for people linked to you. */
export interface Verifications {
  /**
   * Checks a number, such as a BVN, and any personal details against the KYC provider's records. If the provider
   * responds later, the result is `PENDING`: call `waitUntilSettled`. Repeated calls with one idempotency key create
   * only one verification, as long as the service remembers the key.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const verification = await client.verifications.submit(
   *   { service_id: serviceId, kind: "bvn", id: "22222222222", verification_consent: true },
   *   { idempotencyKey: "kyc-customer-1001" }
   * )
   * console.log(verification.status, verification.reference)
   */
  readonly submit: (request: VerificationRequest, options?: KeyedCallOptions) => Call<Verification>
  /**
   * Returns a verification by `reference` or `providerReference`.
   *
   * @example
   * for await (const { reference } of client.verifications.list({ limit: 10 })) {
   *   const { checks, status } = await client.verifications.get(reference)
   *   console.log(status, checks)
   * }
   */
  readonly get: (reference: string, options?: CallOptions) => Call<Verification>
  /**
   * Lists verifications, newest first.
   *
   * @example
   * for await (const verification of client.verifications.list({ limit: 50 })) console.log(verification.status)
   */
  readonly list: (query?: Query<"verifications.list">, options?: CallOptions) => List<Verification>
  /** Submits the person's one-time code for a verification that is `REQUIRES_ACTION`. */
  readonly submitCode: (
    reference: string,
    request: VerificationCodeRequest,
    options?: CallOptions
  ) => Call<Verification>
  /**
   * Polls a verification until it is no longer `PENDING`. `REQUIRES_ACTION` also ends the wait, since the person has to
   * act. The delay between reads grows from 1 to 15 seconds, or is `Retry-After` if that is longer. On timeout, rejects
   * with `StillPending`, or with the last read's failure. While time is left, continues after `ConnectionFailed`,
   * `TimedOut`, a `ServiceProblem` with status 429 or 5xx, or an `UnexpectedAnswer` with status 408, 429 or 5xx. Any
   * other failure ends the wait immediately.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const { reference } = await client.verifications.submit({
   *   service_id: serviceId,
   *   kind: "bvn",
   *   id: "22222222222",
   *   verification_consent: true
   * })
   * const verification = await client.verifications.waitUntilSettled(reference, { timeoutMillis: 60_000 })
   * console.log(verification.status)
   */
  readonly waitUntilSettled: (reference: string, options?: WaitOptions) => Promise<Verification>
  /** Alias of `waitUntilSettled`. */
  readonly waitFor: (reference: string, options?: WaitOptions) => Promise<Verification>
}

export const verifications = (send: Send, runtime: Runtime): Verifications => {
  const get = (reference: string, options?: CallOptions) =>
    callOf(send("verifications.get", { path: { reference } }, options))
  const wait = (reference: string, options?: WaitOptions) =>
    waitUntilSettled(
      (call) => get(reference, call),
      (verification, millis) => new StillPending(verification, millis),
      runtime,
      options
    )
  return {
    submit: (body, options) => callOf(send("verifications.submit", { body }, options)),
    get,
    list: (query = {}, options) => {
      const read = async (page: Query<"verifications.list">) =>
        (await send("verifications.list", { query: page }, options)).data
      return listOf(read(query), (cursor) => read({ ...query, cursor }))
    },
    submitCode: (reference, body, options) =>
      callOf(send("verifications.submitCode", { path: { reference }, body }, options)),
    waitUntilSettled: wait,
    waitFor: wait
  }
}
