import { readdirSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { InvalidOptions, NotSubmitted } from "@surety/embed"
import { Arbitrary, Effect, Schema } from "effect"

const packages = path.resolve(import.meta.dirname, "../..")

const modulesOf = (name: string): ReadonlyArray<string> =>
  readdirSync(path.join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    // Excludes `cli.ts`, since importing it would run it.
    .filter((file) => file.endsWith(".ts") && file !== path.join("internal", "cli.ts"))
    .map((file) => path.join(packages, name, "src", file))

interface ErrorSchema extends Schema.Codec<Error, unknown> {
  readonly identifier: string
  readonly prototype: Error
  readonly fields: Readonly<Record<string, unknown>>
}

const isErrorSchema = (exported: unknown): exported is ErrorSchema =>
  typeof exported === "function" && exported.prototype instanceof Error && Schema.isSchema(exported)

const errorClasses = Effect.promise(async () => {
  const modules = await Promise.all([...modulesOf("core"), ...modulesOf("embed")].map((file) => import(file)))
  return new Set(modules.flatMap((module) => Object.values(module)).filter(isErrorSchema))
})

/**
 * Builds an error with a string in each field. Used if samples cannot be generated, for example because an id needs a
 * check character.
 */
const filled = ({ fields, prototype }: ErrorSchema): Error =>
  Object.assign(Object.create(prototype), Object.fromEntries(Object.keys(fields).map((name) => [name, "some"])))

const samplesOf = (error: ErrorSchema) =>
  Arbitrary.sampleEffect(Arbitrary.schema(error), { count: 20, seed: 7 }).pipe(
    Effect.catch(() => Effect.sync(() => [filled(error)]))
  )

describe("Every exported error of core and embed", () => {
  it.effect(
    "has a message, of one sentence or a line for each fault",
    () =>
      Effect.gen(function* () {
        const classes = yield* errorClasses
        assert.isAbove(classes.size, 60)
        for (const error of classes) {
          const samples = yield* samplesOf(error)
          assert.isTrue(
            samples.some(({ message }) => message.trim() !== "" && message !== "An error has occurred"),
            error.identifier
          )
        }
      }),
    120_000
  )

  it("has one without fields too", () => {
    assert.include(new InvalidOptions(["store: is missing"]).message, "store: is missing")
    assert.isAbove(new NotSubmitted("PROVIDER_REJECTED").message.length, 0)
  })
})
