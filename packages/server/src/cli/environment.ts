import { Context, Effect, Result } from "effect"
import { StartFailed } from "../StartFailed.js"
import { describeFaults, parseSettings } from "../settings/parseSettings.js"

/** Environment variables from which commands read settings: `process.env`, unless a test replaces them. */
export const ProcessEnvironment = Context.Reference<NodeJS.ProcessEnv>(
  "@surety/server/cli/environment/ProcessEnvironment",
  {
    defaultValue: () => process.env
  }
)

/** Reads the process's settings. Fails with `StartFailed`, whose message lists every fault. */
export const settings = Effect.flatMap(ProcessEnvironment, (environment) => {
  const parsed = parseSettings(environment)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new StartFailed({ message: describeFaults(parsed.failure) }))
})
