import { Context, Layer } from "effect"

/** Present only in a law that runs alone (`lawAlone`). Such a law may read state that all users of a store share. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** Layer for tests that run in sequence on a store they do not share. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
