import * as Finding from "@surety/core/DoctorFinding"
import type { ReadAnswer } from "@surety/core/host/HostAnswer"
import type { HookAnswer, HookCall, HookTarget } from "@surety/webhooks/hook/HookCaller"
import { HookCaller, type HookFailed, readReply, readTold } from "@surety/webhooks/hook/HookCaller"
import type { HookName } from "@surety/webhooks/hook/HookMetrics"
import { DateTime, Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

export interface TrialCall {
  /** Name of the call in messages, such as `a credit`. */
  readonly what: string
  readonly call: HookCall
  readonly read: (answer: HookAnswer) => Result.Result<unknown, HookFailed>
}

/** A hook and its test calls, the first of which is also sent with a forged signature. */
export interface HookTrial {
  readonly hook: HookName
  readonly urlSetting: string
  readonly secretSetting: string
  /** Undefined if the hook is not configured. */
  readonly calls: readonly [TrialCall, ...ReadonlyArray<TrialCall>] | undefined
}

/** Returns a `read` that requires a 200 whose JSON the given `read` accepts. */
export const answers =
  (hook: HookName, read: ReadAnswer<unknown>): TrialCall["read"] =>
  (answer) =>
    readReply(hook, answer, read)

/** Returns a `read` that accepts any 2xx response. */
export const acknowledges =
  (hook: HookName): TrialCall["read"] =>
  (answer) =>
    readTold(hook, answer)

const refusing = [401, 403]

const adviceOf = ({ secretSetting, urlSetting }: HookTrial, { status, what }: HookFailed): string => {
  if (status !== undefined) {
    if (refusing.includes(status)) return `Set ${secretSetting} to the secret that the platform verifies with.`
    if (status === 404 || status === 405) return `Does ${urlSetting} point to the route that accepts POST?`
    return "See docs/platform/hooks.md for the required response."
  }
  if (what.includes("target_not_allowed")) return `Name the host of ${urlSetting} in HOOK_HOSTS if it is your own.`
  if (what.includes("name_not_resolved"))
    return `Does ${urlSetting} name the right host, and does this machine resolve it?`
  if (what.includes("tls_failed")) return `Renew the certificate at ${urlSetting}, or name the host that it is for.`
  return `Is the platform's server up, and can this machine reach ${urlSetting}?`
}

/**
 * Clock skew above which a fault is reported for a hook. Standard Webhooks libraries reject the server's signatures
 * only at a larger skew.
 */
const toleratedSkewSeconds = 60

const skewOf = Effect.fnUntraced(function* ({ hook }: HookTrial, { dateMillis }: HookAnswer) {
  if (dateMillis === undefined) return []
  const seconds = Math.round((dateMillis - DateTime.toEpochMillis(yield* DateTime.now)) / 1000)
  return Math.abs(seconds) <= toleratedSkewSeconds
    ? []
    : [
        Finding.fault(
          hook,
          `The platform's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} this machine's, so it ` +
            "will reject signatures. Check the time service of both."
        )
      ]
})

const tryCall = Effect.fnUntraced(function* (trial: HookTrial, { call, read, what }: TrialCall) {
  const hooks = yield* HookCaller
  const answered = yield* Effect.result(hooks.call(call))
  const outcome = Result.flatMap(answered, read)
  const skew = Result.isSuccess(answered) ? yield* skewOf(trial, answered.success) : []
  if (Result.isSuccess(outcome)) return skew
  const { failure } = outcome
  return [...skew, Finding.fault(trial.hook, `${failure.message} to ${what}. ${adviceOf(trial, failure)}`)]
})

/** Returns the same target with a secret that the platform cannot know. */
const forged = (target: HookTarget) =>
  Effect.map(
    Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(32)),
    (bytes): HookTarget => ({ ...target, secret: Redacted.make(`whsec_${Base64.encode(bytes)}`) })
  )

/** Returns true for a client error (4xx). A 5xx does not count, since a failing server has not rejected the call. */
const isRejection = (status: number): boolean => status >= 400 && status < 500

/**
 * Checks that the platform rejects a forged call. Otherwise any caller could make the platform pay or disclose data.
 * `isReached` is true if the test calls found no fault. If it is false, a forged call without a response adds no fault.
 */
const tryForged = Effect.fnUntraced(function* ({ hook }: HookTrial, { call }: TrialCall, isReached: boolean) {
  const hooks = yield* HookCaller
  const answered = yield* Effect.result(hooks.call({ ...call, target: yield* forged(call.target) }))
  const verify = "Verify webhook-signature before anything else, and return 401 if it is wrong."
  if (Result.isFailure(answered)) {
    if (!isReached) return []
    return [Finding.fault(hook, `${answered.failure.message} to a wrongly signed call. ${verify}`)]
  }
  const { status } = answered.success
  if (isRejection(status)) return []
  return [
    Result.isSuccess(readTold(hook, answered.success))
      ? Finding.fault(hook, `A wrongly signed call was accepted with ${status}. ${verify}`)
      : Finding.fault(hook, `A wrongly signed call was not rejected: the response was ${status}. ${verify}`)
  ]
})

/**
 * Runs a hook's test calls and a forged one. Returns the faults, or one `ok` finding if every call passed. Skips a hook
 * that is not configured.
 */
export const run = Effect.fnUntraced(function* (trial: HookTrial) {
  const { calls, hook, urlSetting } = trial
  if (calls === undefined) return [Finding.skipped(hook, `${urlSetting} is not set.`)]
  const found = (yield* Effect.forEach(calls, (call) => tryCall(trial, call))).flat()
  const faults = [...found, ...(yield* tryForged(trial, calls[0], found.length === 0))]
  return faults.length === 0
    ? [
        Finding.ok(
          hook,
          `Test calls succeeded: ${calls.map(({ what }) => what).join(", ")}. A forged call was rejected.`
        )
      ]
    : faults
})
