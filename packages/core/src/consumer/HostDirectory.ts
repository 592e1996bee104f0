import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import type { Environment } from "../Environment.js"
import { type AnswerNotUnderstood, notUnderstood, reading } from "../host/HostAnswer.js"
import { isRecord } from "../host/shapeOf.js"
import {
  ConsumerDirectory,
  type DirectoryUnavailable,
  type IdentityValues,
  layer as layerRecorded,
  type Person,
  readValues
} from "./ConsumerDirectory.js"
import type { ConsumerStore } from "./ConsumerStore.js"
import type { IdentityField } from "./IdentityField.js"

/** The field that Surety supplies from its own verifications if the host omits it. */
const verified = "kyc_status"

const expected = "an object of JSON values by field"

const readJson = reading(Schema.Record(Schema.String, Schema.Json), expected)

/** Reads `fields` from a host's response as JSON of any type. Other fields are dropped unread. */
export const readPlain = (
  answer: unknown,
  fields: ReadonlyArray<string>
): Result.Result<Readonly<Record<string, Schema.Json>>, AnswerNotUnderstood> => {
  if (!isRecord(answer)) return Result.fail(notUnderstood(expected, answer))
  const asked = fields.filter((field) => Object.hasOwn(answer, field) && answer[field] !== undefined)
  return readJson(Object.fromEntries(asked.map((field) => [field, answer[field]])))
}

/**
 * Reads `fields` from a host's response of plain values and redacts them. A single value of the wrong type fails the
 * entire response.
 */
export const readAsked = (
  answer: unknown,
  fields: ReadonlyArray<string>
): Result.Result<IdentityValues, AnswerNotUnderstood> =>
  readPlain(answer, fields).pipe(
    Result.map((values) =>
      Object.fromEntries(
        Object.entries(values).map(([field, value]) => [field, Redacted.make(value, { label: field })] as const)
      )
    ),
    Result.flatMap(readValues)
  )

/** A host's own records of people. */
export interface HostPeople<R> {
  /** Environments in which the host's records are read. In other environments, Surety reads its own records. */
  readonly environments: ReadonlyArray<Environment>
  readonly values: (
    person: Person,
    fields: ReadonlyArray<IdentityField>
  ) => Effect.Effect<IdentityValues, DirectoryUnavailable, R>
}

/**
 * Builds a layer with a directory that reads the host's records in `people.environments`, and Surety's own records in
 * any other environment. A `kyc_status` that the host omits comes from Surety's records.
 */
export const layer = <R>(people: HostPeople<R>): Layer.Layer<ConsumerDirectory, never, ConsumerStore | R> =>
  Layer.effect(
    ConsumerDirectory,
    Effect.gen(function* () {
      const recorded = Context.get(yield* Layer.build(layerRecorded), ConsumerDirectory)
      const services = yield* Effect.context<R>()
      return ConsumerDirectory.of({
        values: Effect.fnUntraced(function* (person, fields) {
          if (!people.environments.includes(person.environment)) return yield* recorded.values(person, fields)
          const values = yield* Effect.provideContext(people.values(person, fields), services)
          const status = fields.filter((field) => field === verified && values[field] === undefined)
          return status.length === 0 ? values : { ...values, ...(yield* recorded.values(person, status)) }
        })
      })
    })
  )
