import { Cause, Console, Effect, Exit, Option, Predicate } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import * as globalFlags from "./help/globalFlags.js"
import { mistakePresenter } from "./mistake/mistakes.js"
import { shownLines } from "./operation/shown.js"
import { commandIn, surety } from "./surety.js"

/** Returns true if a defect shows that the working directory was removed. Node then cannot resolve relative paths. */
const isWithoutDirectory = (defect: unknown): boolean =>
  Predicate.hasProperty(defect, "syscall") && defect.syscall === "uv_cwd"

const withoutDirectory =
  "The directory in which surety was started no longer exists, so relative paths cannot be resolved. Start it in another " +
  "directory, or set DATA_DIR and give files as absolute paths."

/**
 * Describes an expected failure by its message, escaped because it may quote typed text. Shows a stack only for a bug.
 */
const describe = <E extends { readonly message: string }>(cause: Cause.Cause<E>): string =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => (isWithoutDirectory(Cause.squash(cause)) ? withoutDirectory : Cause.pretty(cause)),
    onSome: ({ message }) => shownLines(message)
  })

/** Runs the `surety` command with the arguments `given`. Prints the reason if it fails. */
export const program = (given: ReadonlyArray<string>) => {
  const args = globalFlags.withLongNames(given)
  return Effect.promise(() => surety(args)).pipe(
    Effect.flatMap((command) => Command.runWith(command, { version: packageJson.version })(args)),
    Effect.provideService(CliOutput.Presenter, mistakePresenter(args)),
    Effect.provide(globalFlags.layer),
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) || CliError.isCliError(Option.getOrUndefined(Cause.findErrorOption(cause)))
        ? Effect.void
        : Console.error(describe(cause))
    )
  )
}

/** Shell exit code for a command ended by SIGINT. */
const interrupted = 130

/**
 * Returns the process's exit code: 0 on success, 130 on interruption, 1 otherwise. An interrupted `surety serve` also
 * returns 0, since a signal is the usual way to stop it. Any other interrupted command is unfinished.
 */
export const exitCode = (exit: Exit.Exit<unknown, unknown>, args: ReadonlyArray<string>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (!Cause.hasInterruptsOnly(exit.cause)) return 1
  return commandIn(args) === "serve" ? 0 : interrupted
}
