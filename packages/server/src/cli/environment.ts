import { Effect, Result } from "effect"
import { StartFailed } from "../StartFailed.js"
import { describeFaults, parseSettings } from "../settings/parseSettings.js"

/** The settings of the process, or one message that lists every fault. */
export const settings = Effect.suspend(() => {
  const parsed = parseSettings(process.env)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new StartFailed({ message: describeFaults(parsed.failure) }))
})
