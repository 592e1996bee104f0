import { NodeCrypto, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import * as App from "../App.js"
import { serverKeys } from "../DevelopmentKeys.js"
import * as Logging from "../Logging.js"
import { settings } from "./environment.js"

/** Runs a command's work over the database and keys of the environment. */
export const withApp = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const current = yield* settings
    const keys = yield* serverKeys(current).pipe(Effect.provide([NodeServices.layer, NodeCrypto.layer]))
    return yield* work.pipe(Effect.provide(App.layer(current, keys)), Effect.provide(Logging.layer(current)))
  })
