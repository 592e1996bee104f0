import { Context, Layer } from "effect"

/** Present only in a law that runs alone (`lawAlone`). Such a law may read what all users of a store share. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** For tests that run in sequence on a store they do not share. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
