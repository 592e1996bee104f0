import { Cause, Console, Effect, Exit, Option, Predicate } from "effect"
import { CliError, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { surety } from "./surety.js"

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

/** The `surety` command with `args`. Prints why it failed. */
export const program = (args: ReadonlyArray<string>) =>
  Effect.promise(() => surety(args)).pipe(
    Effect.flatMap((command) => Command.runWith(command, { version: packageJson.version })(args)),
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) || CliError.isCliError(Option.getOrUndefined(Cause.findErrorOption(cause)))
        ? Effect.void
        : Console.error(describe(cause))
    )
  )

/** The exit code of a process whose program ended so: 0 also if it was interrupted. */
export const exitCode = (exit: Exit.Exit<unknown, unknown>): number =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1
