import { setFlagsFromString } from "node:v8"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { exitCode, program } from "./program.js"
import { endWithoutContent } from "./uncaught.js"

endWithoutContent()

// Without this flag, V8 learns to allocate a request's short-lived objects in the old generation. Collecting them there
// costs a quarter of a small request's time.
setFlagsFromString("--no-allocation-site-pretenuring")

// The embedded database is WebAssembly. By default V8 optimises its functions on other threads after a few calls, which
// takes longer than most commands run. An eight times larger budget restricts optimisation to databases in real use.
setFlagsFromString("--wasm-tiering-budget=100000000")

const args = process.argv.slice(2)

program(args).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCode(exit, args))
  })
)
