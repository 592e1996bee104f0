import { assert } from "@effect/vitest"
import { ConsumerDirectory, type IdentityValues, type Person } from "@surety/core/consumer/ConsumerDirectory"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Effect, type Layer, Redacted, Result, type Schema } from "effect"
import { type Law, law, suiteOf } from "../Law.js"

/** Data and operations that the laws need to test a directory, besides the port. */
export interface DirectoryUnderTest {
  readonly person: Person
  /** The person's values, for at least two fields. The first field must accept any text, since a law changes it. */
  readonly values: Readonly<Record<string, Schema.Json>>
  /** A field known to the directory but without a value for the person. */
  readonly without: string
  /** Changes one of the person's values in the underlying records. */
  readonly change: (field: string, value: Schema.Json) => Effect.Effect<void>
  /** Ways to disturb the directory's next response, by name. */
  readonly disturbances?: Readonly<Record<string, Effect.Effect<void>>>
}

const fieldsOf = (names: ReadonlyArray<string>): ReadonlyArray<IdentityField> =>
  names.map((name) => IdentityField.make(name))

const reveal = (values: IdentityValues) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))

const read = ({ person }: DirectoryUnderTest, names: ReadonlyArray<string>) =>
  Effect.flatMap(ConsumerDirectory, (directory) => directory.values(person, fieldsOf(names)))

/** Builds the laws of `ConsumerDirectory`, plus one for each disturbance. */
export const lawsOf = (directory: DirectoryUnderTest): ReadonlyArray<Law<ConsumerDirectory>> => {
  const { change, disturbances = {}, values, without } = directory
  const [first = assert.fail("two values are needed"), second = assert.fail("two values are needed")] =
    Object.keys(values)
  return [
    law(
      "returns the values of the asked fields, and of no others",
      Effect.gen(function* () {
        assert.deepStrictEqual(reveal(yield* read(directory, Object.keys(values))), values)
        assert.deepStrictEqual(reveal(yield* read(directory, [second])), { [second]: values[second] })
      })
    ),
    law(
      "keeps values redacted",
      Effect.gen(function* () {
        const text = JSON.stringify(yield* read(directory, Object.keys(values)))
        for (const value of Object.values(values)) {
          if (typeof value === "string") assert.notInclude(text, value)
        }
      })
    ),
    law(
      "says nothing of a field without a value",
      Effect.gen(function* () {
        const told = reveal(yield* read(directory, [first, without]))
        assert.deepStrictEqual(
          { ...told, [without]: told[without] ?? null },
          { [first]: values[first], [without]: null }
        )
      })
    ),
    law(
      "reads the values of now, each time",
      Effect.gen(function* () {
        const now = "changed"
        yield* change(first, now)
        const changed = reveal(yield* read(directory, [first]))
        yield* change(first, values[first] ?? null)
        assert.deepStrictEqual(changed, { [first]: now })
        assert.deepStrictEqual(reveal(yield* read(directory, [first])), { [first]: values[first] })
      })
    ),
    ...Object.entries(disturbances).map(([how, disturb]) =>
      law(
        `returns no wrong value where ${how}, and the right one afterwards`,
        Effect.gen(function* () {
          yield* disturb
          const disturbed = yield* Effect.result(read(directory, [first]))
          if (Result.isSuccess(disturbed)) {
            assert.deepStrictEqual(reveal(disturbed.success), { [first]: values[first] })
          } else assert.strictEqual(disturbed.failure._tag, "DirectoryUnavailable")
          assert.deepStrictEqual(reveal(yield* read(directory, [first])), { [first]: values[first] })
        })
      )
    )
  ]
}

export const suite = (
  adapter: string,
  layer: Layer.Layer<ConsumerDirectory, unknown>,
  directory: DirectoryUnderTest
): void => suiteOf("ConsumerDirectory", lawsOf(directory))(adapter, layer)
