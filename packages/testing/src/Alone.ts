import { Context, Layer } from "effect"

/** Only in a law that runs while no other does (`lawAlone`): what all of a store's users share is this law's own. */
export class Alone extends Context.Service<Alone, true>()("surety/testing/Alone") {}

/** For tests that run one after another on a store of their own. */
export const layer: Layer.Layer<Alone> = Layer.succeed(Alone, true)
