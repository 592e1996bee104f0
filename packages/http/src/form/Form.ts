import { issueFaults } from "@surety/core/input/InputFault"
import { Effect, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Fault, inBody } from "../problem/Fault.js"
import { type Problem, problem, problemOfFaults } from "../problem/Problem.js"
import type { BoundedBody } from "./BoundedBody.js"
import { type JsonDocument, parseJson } from "./JsonText.js"
import { readBody, readLargeBody } from "./RequestBody.js"
import { type FieldNames, fieldNamesOf, trimSurplus } from "./Surplus.js"

export type Reading<A> = Result.Result<A, ReadonlyArray<Fault>>

/** Decodes a JSON value and checks it against the form's rules. */
export interface Form<A> {
  /** The form's field names. They tell the JSON reader which values to build. */
  readonly fields: FieldNames
  readonly read: (value: unknown) => Effect.Effect<Reading<A>>
}

/** Rules beyond the body's schema, such as cross-field rules. */
export interface FormRules<A, B> {
  readonly understand: (body: A) => Reading<B>
  /**
   * Returns true if a fault that `understand` found without the `faultyFields` also applies to the full body. If
   * absent, all such faults are reported.
   */
  readonly stands?: (fault: Fault, faultyFields: ReadonlySet<PropertyKey>) => boolean
}

const options = { errors: "all", onExcessProperty: "error" } as const

const without = (value: unknown, keys: ReadonlySet<PropertyKey>): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)))
    : value

/**
 * Builds a form from a schema and rules. If the schema finds faults, the body is decoded again without its faulty
 * top-level fields. If that succeeds, `understand` checks the result, and `stands` selects which of its faults to add.
 * Parts that `trimSurplus` omits are not checked.
 */
export const formWith = <A, I, B>(schema: Schema.Codec<A, I>, rules: FormRules<A, B>): Form<B> => {
  const decode = Schema.decodeUnknownEffect(schema, options)
  const afterFaults = (value: unknown, faults: ReadonlyArray<Fault>): Effect.Effect<Reading<B>> => {
    const faulty = new Set(faults.flatMap(({ place }) => (place.in === "body" ? place.path.slice(0, 1) : [])))
    if (faulty.size === 0) return Effect.succeed(Result.fail(faults))
    return Effect.match(decode(without(value, faulty)), {
      onFailure: () => Result.fail(faults),
      onSuccess: (sound) => {
        const reading = rules.understand(sound)
        if (Result.isSuccess(reading)) return Result.fail(faults)
        const further = reading.failure.filter((fault) => rules.stands?.(fault, faulty) ?? true)
        return Result.fail([...faults, ...further])
      }
    })
  }
  const fields = fieldNamesOf(schema)
  return {
    fields,
    read: (sent) => {
      const { fault, value } = trimSurplus(sent, fields)
      return Effect.matchEffect(decode(value), {
        onSuccess: (body) => Effect.succeed(fault === undefined ? rules.understand(body) : Result.fail([fault])),
        onFailure: ({ issue }) =>
          afterFaults(
            value,
            issueFaults(issue, value).map(({ code, detail, path }) => inBody(path, code, detail))
          )
      })
    }
  }
}

export const formOf = <A, I>(schema: Schema.Codec<A, I>): Form<A> => formWith(schema, { understand: Result.succeed })

const bodyRequired = (): Problem => problem("invalid_json", { detail: "This route needs a JSON body." })

const documentOf = (
  bounded: BoundedBody,
  whenEmpty: "refused" | "empty object",
  numbers: "quoted" | "unquoted",
  fields: FieldNames
): Result.Result<JsonDocument, Problem> => {
  if (bounded.bytes.length > 0) return parseJson(bounded, numbers, fields)
  return whenEmpty === "refused" ? Result.fail(bodyRequired()) : Result.succeed({ value: {}, faults: [] })
}

/**
 * Reads and decodes the request's body. `earlierFaults` are faults in other parts of the request, such as a header.
 * They are reported together with the body's, unless the body cannot be read or parsed.
 */
export const readForm = <A>(
  request: HttpServerRequest.HttpServerRequest,
  form: Form<A>,
  {
    earlierFaults = [],
    large = false,
    numbers = "quoted",
    whenEmpty = "refused"
  }: {
    readonly earlierFaults?: ReadonlyArray<Fault>
    /** True if the route accepts up to 16 MiB. */
    readonly large?: boolean
    /** `unquoted` if a number may identify a person, so that `parseJson` quotes no numbers in faults. */
    readonly numbers?: "quoted" | "unquoted"
    readonly whenEmpty?: "refused" | "empty object"
  } = {}
): Effect.Effect<A, Problem> =>
  Effect.flatMap(large ? readLargeBody(request) : readBody(request), (body) => {
    const document = documentOf(body, whenEmpty, numbers, form.fields)
    body.free()
    if (Result.isFailure(document)) return Effect.fail(document.failure)
    return Effect.flatMap(form.read(document.success.value), (reading) => {
      const faults = [
        ...earlierFaults,
        ...document.success.faults,
        ...(Result.isFailure(reading) ? reading.failure : [])
      ]
      return Result.isSuccess(reading) && faults.length === 0
        ? Effect.succeed(reading.success)
        : Effect.fail(problemOfFaults(faults))
    })
  })
