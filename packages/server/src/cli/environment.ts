import { Context, Effect, Result } from "effect"
import { StartFailed } from "../StartFailed.js"
import { describeFaults, parseSettings } from "../settings/parseSettings.js"

/** The variables that commands read their settings from: the process's, unless a test provides others. */
export const ProcessEnvironment = Context.Reference<NodeJS.ProcessEnv>(
  "@surety/server/cli/environment/ProcessEnvironment",
  {
    defaultValue: () => process.env
  }
)

/** The settings of the process, or one message that lists every fault. */
export const settings = Effect.flatMap(ProcessEnvironment, (environment) => {
  const parsed = parseSettings(environment)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new StartFailed({ message: describeFaults(parsed.failure) }))
})
