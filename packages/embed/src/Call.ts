import { ConsentRequestInvalid } from "@surety/core/consent/ConsentError"
import type { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import type { EventLog } from "@surety/core/event/EventLog"
import { issueFaults } from "@surety/core/input/InputFault"
import { uncleanTexts } from "@surety/core/input/Text"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { Services } from "@surety/core/Services"
import { Effect, Schema } from "effect"
import { type InvalidInput, invalidInput, type Outcome } from "./Outcome.js"

/** What every call may use. */
export type CallServices = Services | ConsentNotifier | EventLog | Ledger

/** Runs a call's work with the services, inside the host's transaction where there is one. */
export type Run = <A, E>(work: Effect.Effect<A, E, CallServices>) => Promise<Outcome<A, E>>

const options = { errors: "all", onExcessProperty: "error" } as const

const isRequestInvalid = Schema.is(ConsentRequestInvalid)

type CallError<E> = Exclude<E, ConsentRequestInvalid> | InvalidInput

const errorOf = <E>(error: E): CallError<E> =>
  // The check has taken out what is excluded, which the compiler does not see of a type that it does not know.
  isRequestInvalid(error) ? invalidInput(error.faults) : (error as Exclude<E, ConsentRequestInvalid>)

/** A call of the facade: decodes plain values by `input`, runs `work`, and reports every fault of the values at once. */
export const call = <A, I, B, E>(
  run: Run,
  input: Schema.Codec<A, I>,
  work: (input: A) => Effect.Effect<B, E, CallServices>
): ((given: I) => Promise<Outcome<B, CallError<E>>>) => {
  const decode = Schema.decodeUnknownEffect(input, options)
  return (given) =>
    run(
      Effect.matchEffect(decode(given), {
        onFailure: ({ issue }): Effect.Effect<B, CallError<E>, CallServices> =>
          Effect.fail(invalidInput(issueFaults(issue, given))),
        onSuccess: (understood): Effect.Effect<B, CallError<E>, CallServices> => {
          const unclean = uncleanTexts(given)
          return unclean.length === 0 ? Effect.mapError(work(understood), errorOf) : Effect.fail(invalidInput(unclean))
        }
      })
    )
}
