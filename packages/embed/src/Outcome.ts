import { faultText } from "@surety/core/faultText"
import type { InputFault } from "@surety/core/input/InputFault"
import { Cause, Exit, Inspectable, Option, Predicate, Schema } from "effect"

/**
 * The result of a call: a value, or one of the errors in its type, distinguished by `_tag`. An unexpected failure
 * rejects the promise instead.
 */
export type Outcome<A, E> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** The input of a call is invalid. Lists the faults, each with the `path` of its field. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>("@surety/embed/Outcome/InvalidInput")(
  "InvalidInput",
  {
    faults: Schema.Array(
      Schema.Struct({ path: Schema.Array(Schema.String), code: Schema.String, detail: Schema.String })
    )
  }
) {
  override get message(): string {
    return faultText(this.faults) || "The input is invalid."
  }

  /**
   * Returns the text that `console.error` prints: the stack, which starts with every fault and its field. The default
   * would print the faults without their fields.
   */
  override [Inspectable.NodeInspectSymbol](): string {
    return this.stack ?? this.message
  }
}

/** Builds the error from faults. Numbers in their paths become strings. */
export const invalidInput = (faults: ReadonlyArray<InputFault>): InvalidInput =>
  new InvalidInput({ faults: faults.map(({ code, detail, path }) => ({ code, detail, path: path.map(String) })) })

/**
 * Returns the value of an outcome, or throws its error.
 *
 * @example
 * import { unwrap } from "@surety/embed"
 *
 * const merchant = unwrap(await surety.merchants.get({ merchantId }))
 */
export const unwrap = <A, E>(outcome: Outcome<A, E>): A => {
  if (outcome.ok) return outcome.value
  throw outcome.error
}

const fieldsOf = (error: object): unknown =>
  Predicate.hasProperty(error, "toJSON") && typeof error.toJSON === "function" ? error.toJSON() : undefined

/**
 * Returns the text that `console.error` prints: the stack, which starts with the message, and the error's fields.
 * Effect's default shows neither message nor stack.
 */
function inspected(this: Error, depth: number, options: object, inspect: unknown): string {
  const stack = this.stack ?? `${this.name}: ${this.message}`
  const fields = fieldsOf(this)
  if (depth < 0 || typeof inspect !== "function" || !Predicate.isObject(fields)) return stack
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    name === "_tag" || name === "message" ? [] : [[name, Predicate.isError(value) ? fieldsOf(value) : value]]
  )
  return shown.length === 0 ? stack : `${stack} ${inspect(Object.fromEntries(shown), options)}`
}

/**
 * Sets the `name` of an error and of its nested `reason` to their tags. The original names of core's errors are import
 * paths, which change when a file moves. Also makes the error print its message, stack and fields. Returns the error.
 */
export const named = <E>(error: E): E => {
  // A host's part may throw a frozen error, which cannot be renamed.
  if (!Predicate.isError(error) || !Object.isExtensible(error)) return error
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && error.name !== error._tag) {
    Object.defineProperty(error, "name", { value: error._tag, configurable: true, writable: true })
  }
  if (Predicate.hasProperty(error, "_tag") && !(error instanceof InvalidInput)) {
    Object.defineProperty(error, Inspectable.NodeInspectSymbol, {
      value: inspected,
      configurable: true,
      writable: true
    })
  }
  if (Predicate.hasProperty(error, "reason")) named(error.reason)
  return error
}

/** Converts the exit of a call's effect to an outcome. Throws the cause of an unexpected failure. */
export const outcomeOf = <A, E>(exit: Exit.Exit<A, E>): Outcome<A, E> => {
  if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) throw named(Cause.squash(exit.cause))
  return { ok: false, error: named(failure.value) }
}
