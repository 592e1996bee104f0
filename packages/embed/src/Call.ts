import type { EventLog } from "@surety/core/event/EventLog"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { Services } from "@surety/core/Services"
import { issueFaults } from "@surety/http/problem/IssueFaults"
import { Effect, Schema } from "effect"
import { InvalidInput, type Outcome } from "./Outcome.js"

/** What every call may use. */
export type CallServices = Services | EventLog | Ledger

/** Runs a call's work with the services, inside the host's transaction where there is one. */
export type Run = <A, E>(work: Effect.Effect<A, E, CallServices>) => Promise<Outcome<A, E>>

const options = { errors: "all", onExcessProperty: "error" } as const

/**
 * A call of the facade: takes plain values that `input` describes, and answers what `work` makes of them. All faults of
 * the values are told at once.
 */
export const call = <A, I, B, E>(
  run: Run,
  input: Schema.Codec<A, I>,
  work: (input: A) => Effect.Effect<B, E, CallServices>
): ((given: I) => Promise<Outcome<B, E | InvalidInput>>) => {
  const decode = Schema.decodeUnknownEffect(input, options)
  return (given) =>
    run(
      Effect.matchEffect(decode(given), {
        onFailure: ({ issue }): Effect.Effect<B, E | InvalidInput, CallServices> =>
          Effect.fail(
            new InvalidInput({
              faults: issueFaults(issue).map(({ code, detail, path }) => ({ code, detail, path: path.map(String) }))
            })
          ),
        onSuccess: work
      })
    )
}

/** Writes a record in its plain form: ids and times as text, amounts in major units. */
export const plain = <A, I>(schema: Schema.Codec<A, I>): ((record: A) => I) => Schema.encodeSync(schema)
