import { ConsentRequestInvalid } from "@surety/core/consent/ConsentError"
import type { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import type { EventLog } from "@surety/core/event/EventLog"
import type { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { issueFaults } from "@surety/core/input/InputFault"
import { uncleanTexts } from "@surety/core/input/Text"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { Services } from "@surety/core/Surety"
import { Effect, Schema } from "effect"
import { type InvalidInput, invalidInput, type Outcome } from "./Outcome.js"

/** Services that the work of a call may require. */
export type CallServices = Services | ConsentNotifier | EventLog | HostRequestStore | Ledger

/**
 * Runs the work of a call with its services and returns the outcome. Rejects on an unexpected failure. Whether the work
 * runs inside a host's transaction depends on the `Run`.
 */
export type Run = <A, E>(work: Effect.Effect<A, E, CallServices>) => Promise<Outcome<A, E>>

const options = { errors: "all", onExcessProperty: "error" } as const

const isRequestInvalid = Schema.is(ConsentRequestInvalid)

type CallError<E> = Exclude<E, ConsentRequestInvalid> | InvalidInput

const errorOf = <E>(error: E): CallError<E> =>
  // The guard excludes `ConsentRequestInvalid`, but the compiler cannot narrow a type parameter.
  isRequestInvalid(error) ? invalidInput(error.faults) : (error as Exclude<E, ConsentRequestInvalid>)

const inputs = new WeakMap<object, Schema.Top>()

/**
 * Returns the input schema of a function built by `call`. Undefined for any other function, such as a call without
 * input.
 */
export const inputOf = (called: object): Schema.Top | undefined => inputs.get(called)

const unread = new WeakMap<object, (given: unknown) => Promise<Outcome<unknown, unknown>>>()

/** Returns a call built by `call`, typed to accept and decode any value. Undefined for other functions. */
export const unreadCall = (called: object): ((given: unknown) => Promise<Outcome<unknown, unknown>>) | undefined =>
  unread.get(called)

/**
 * Builds a call of the facade. The call decodes plain values with `input` and runs `work` on the result. All faults
 * found by decoding are reported together. `prepare` converts the given value before decoding.
 */
export const call = <A, I, B, E>(
  run: Run,
  input: Schema.Codec<A, I>,
  work: (input: A) => Effect.Effect<B, E, CallServices>,
  prepare: (given: unknown) => unknown = (given) => given
): ((given: I) => Promise<Outcome<B, CallError<E>>>) => {
  const decode = Schema.decodeUnknownEffect(input, options)
  const read = (given: unknown): Effect.Effect<B, CallError<E>, CallServices> =>
    Effect.matchEffect(decode(given), {
      onFailure: ({ issue }) => Effect.fail(invalidInput(issueFaults(issue, given))),
      onSuccess: (understood) => {
        // Decoding also reads accessors and inherited fields of class instances. `uncleanTexts(given)` does not see
        // them, so the decoded input is checked too.
        const own = uncleanTexts(given)
        const unclean = own.length === 0 ? uncleanTexts(understood) : own
        return unclean.length === 0 ? Effect.mapError(work(understood), errorOf) : Effect.fail(invalidInput(unclean))
      }
    })
  const called = (raw: unknown) => run(Effect.suspend(() => read(prepare(raw))))
  inputs.set(called, input)
  unread.set(called, called)
  return called
}
