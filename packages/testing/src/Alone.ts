import { Context, Layer } from "effect"

/** Required by a law's body that reads state shared by all users of a store. `lawAlone` provides it. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** Layer for tests that run in sequence on a store they do not share. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
