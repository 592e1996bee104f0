import type { InputFault } from "@surety/core/input/InputFault"
import { Inspectable, Schema } from "effect"

/**
 * How a call ended: with a value, or with one of the errors that its type names, told apart by `_tag`. A bug, and
 * whatever else nobody expects, rejects the promise instead.
 */
export type Outcome<A, E> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** What was passed is not what the call takes. Every fault is listed; `path` leads to the field. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>("@surety/embed/Outcome/InvalidInput")(
  "InvalidInput",
  {
    faults: Schema.Array(
      Schema.Struct({ path: Schema.Array(Schema.String), code: Schema.String, detail: Schema.String })
    )
  }
) {
  override get message(): string {
    return this.faults.map(({ detail, path }) => `${path.join(".") || "input"}: ${detail}`).join("\n")
  }

  /** Frameworks log what a handler throws with `console.error`, which would show the faults without their fields. */
  override [Inspectable.NodeInspectSymbol](): string {
    return this.stack ?? this.message
  }
}

export const invalidInput = (faults: ReadonlyArray<InputFault>): InvalidInput =>
  new InvalidInput({ faults: faults.map(({ code, detail, path }) => ({ code, detail, path: path.map(String) })) })

/**
 * The value of an outcome; throws its error.
 *
 * @example
 * const merchant = unwrap(await surety.merchants.get({ merchantId }))
 */
export const unwrap = <A, E>(outcome: Outcome<A, E>): A => {
  if (outcome.ok) return outcome.value
  throw outcome.error
}
