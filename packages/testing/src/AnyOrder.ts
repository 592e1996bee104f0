import { assert, it } from "@effect/vitest"
import { Cause, Config, Effect, Exit, type Layer, Random } from "effect"
import { type AllPorts, laws } from "./AllLaws.js"
import { law } from "./Law.js"
import * as PastRecords from "./PastRecords.js"

/**
 * `LAWS_SEED` sets the order, and which laws a `sample` contains. `LAWS_ROUNDS` sets how often each law runs, and turns
 * `sample` off.
 */
const settings = Config.all({
  seed: Config.withDefault(Config.Int("LAWS_SEED"), undefined),
  rounds: Config.withDefault(Config.Int("LAWS_ROUNDS"), undefined)
})

const concurrency = 8

const pastIsEmpty = law("leaves nothing in the past", PastRecords.expectNone)

const shuffled = <A>(values: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  Effect.runSync(Random.withSeed(Random.shuffle(values), seed))

/**
 * Registers a test that runs laws on one store, in random order and eight at a time. Each law runs twice by default.
 * `sample` limits the number of laws. Afterwards, the test checks that no law left a record due in the past. It logs
 * the seed and includes it in a failing law's message.
 */
export const suite = (
  adapter: string,
  layer: Layer.Layer<AllPorts, unknown>,
  options: { readonly sample?: number } = {}
): void =>
  it.layer(layer, { timeout: 60_000, excludeTestServices: true })(`every law at once (${adapter})`, (it) => {
    it.effect(
      "holds in any order, repeated, while others run",
      () =>
        Effect.gen(function* () {
          const { rounds, seed = Math.floor(Math.random() * 1e9) } = yield* settings
          const replay = `LAWS_SEED=${seed}${rounds === undefined ? "" : ` LAWS_ROUNDS=${rounds}`}`
          yield* Effect.logInfo(`Laws on ${adapter}: ${replay}`)
          const drawn = rounds === undefined ? shuffled(laws, seed).slice(0, options.sample) : laws
          const runs = shuffled(Array.from({ length: rounds ?? 2 }, () => drawn).flat(), seed)
          const failures = yield* Effect.forEach(
            runs,
            ({ body, name }) =>
              Effect.map(Effect.exit(Effect.scoped(body)), (exit) =>
                Exit.isFailure(exit) ? [`${name}: ${String(Cause.squash(exit.cause))}`] : []
              ),
            { concurrency }
          )
          assert.deepStrictEqual(failures.flat(), [], replay)
          yield* Effect.scoped(pastIsEmpty.body)
        }),
      { timeout: 3_600_000 }
    )
  })
