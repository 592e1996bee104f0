import { Context, Layer } from "effect"

/** Required by a body that reads state that all users of a store share. `lawAlone` provides it. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** Layer for tests that run in sequence on a store they do not share. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
