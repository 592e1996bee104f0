import { ConsentRequestInvalid } from "@surety/core/consent/ConsentError"
import type { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import type { EventLog } from "@surety/core/event/EventLog"
import { VerificationRequestInvalid } from "@surety/core/kyc/KycError"
import type { Ledger } from "@surety/core/ledger/Ledger"
import { RefundRequestInvalid } from "@surety/core/refund/Refunds"
import type { Services } from "@surety/core/Services"
import { uncleanTexts } from "@surety/http/form/JsonText"
import { issueFaults } from "@surety/http/problem/IssueFaults"
import { Effect, Schema } from "effect"
import { InvalidInput, invalidInput, type Outcome } from "./Outcome.js"

/** What every call may use. */
export type CallServices = Services | ConsentNotifier | EventLog | Ledger

/** Runs a call's work with the services, inside the host's transaction where there is one. */
export type Run = <A, E>(work: Effect.Effect<A, E, CallServices>) => Promise<Outcome<A, E>>

const options = { errors: "all", onExcessProperty: "error" } as const

/** What the core says of requests that are wrong in themselves: to a host the same as input of the wrong form. */
type RequestInvalid = RefundRequestInvalid | ConsentRequestInvalid | VerificationRequestInvalid

const isRequestInvalid = Schema.is(
  Schema.Union([RefundRequestInvalid, ConsentRequestInvalid, VerificationRequestInvalid])
)

interface PlacedFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly code: string
  readonly detail: string
}

const invalid = (faults: ReadonlyArray<PlacedFault>): InvalidInput =>
  new InvalidInput({ faults: faults.map(({ code, detail, path }) => ({ code, detail, path: path.map(String) })) })

type CallError<E> = Exclude<E, RequestInvalid> | InvalidInput

const errorOf = <E>(error: E): CallError<E> =>
  // The check has taken out what is excluded, which the compiler does not see of a type that it does not know.
  isRequestInvalid(error) ? invalid(error.faults) : (error as Exclude<E, RequestInvalid>)

/**
 * A call of the facade: takes plain values that `input` describes, and answers what `work` makes of them. All faults of
 * the values are told at once.
 */
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
          Effect.fail(invalid(issueFaults(issue, given))),
        onSuccess: (understood): Effect.Effect<B, CallError<E>, CallServices> => {
          const unclean = uncleanTexts(given)
          return unclean.length === 0 ? Effect.mapError(work(understood), errorOf) : Effect.fail(invalidInput(unclean))
        }
      })
    )
}

/** Writes a record in its plain form: ids and times as text, amounts in major units. */
export const plain = <A, I>(schema: Schema.Codec<A, I>): ((record: A) => I) => Schema.encodeSync(schema)
