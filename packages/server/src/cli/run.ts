import { setFlagsFromString } from "node:v8"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Option, Predicate } from "effect"
import { CliError, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { surety } from "./surety.js"
import { endWithoutContent } from "./uncaught.js"

endWithoutContent()

// Without it, V8 learns to allocate a request's short-lived objects in the old generation, where collecting them costs
// a quarter of a small request's time.
setFlagsFromString("--no-allocation-site-pretenuring")

// The embedded database is WebAssembly. V8 optimises its functions on other threads after a few calls, which takes
// longer than most commands run. With eight times as many calls, only databases in real use are optimised.
setFlagsFromString("--wasm-tiering-budget=100000000")

/** Node cannot resolve a relative path, such as DATA_DIR's, in a directory that was removed. */
const isWithoutDirectory = (defect: unknown): boolean =>
  Predicate.hasProperty(defect, "syscall") && defect.syscall === "uv_cwd"

const withoutDirectory =
  "The directory in which surety was started no longer exists, so relative paths cannot be resolved. Start it in another " +
  "directory, or set DATA_DIR and give files as absolute paths."

/** An expected failure is one message that says what to do; only a bug shows its stack. */
const describe = <E extends { readonly message: string }>(cause: Cause.Cause<E>): string =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => (isWithoutDirectory(Cause.squash(cause)) ? withoutDirectory : Cause.pretty(cause)),
    onSome: ({ message }) => message
  })

Effect.promise(() => surety(process.argv.slice(2))).pipe(
  Effect.flatMap((command) => Command.run(command, { version: packageJson.version })),
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) || CliError.isCliError(Option.getOrUndefined(Cause.findErrorOption(cause)))
      ? Effect.void
      : Console.error(describe(cause))
  ),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
