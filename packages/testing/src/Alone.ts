import { Context, Layer } from "effect"

/** Present only in a law that runs alone (`lawAlone`), which may read what all users of a store share. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** For tests that run in sequence on a store of their own. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
