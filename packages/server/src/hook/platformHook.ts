import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { DateTime, Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.js"

/** Forgets what is unsent. */
const ended = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  if (yield* feed.end) yield* Effect.logWarning("PLATFORM_EVENTS_URL=off: unsent platform events were deleted")
})

/** Events are kept, and this server has no address to send them to. */
const warned = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  const { isOn } = yield* feed.stats(yield* DateTime.now, 1)
  if (!isOn) return
  yield* Effect.logWarning(
    "PLATFORM_EVENTS_URL is not set: platform events are kept unsent. Set it, or set it to off to keep no more"
  )
})

const orWarn = <R>(effect: Effect.Effect<void, { readonly message: string }, R>) =>
  Layer.effectDiscard(
    Effect.catch(effect, ({ message }) => Effect.logWarning("Platform events could not be looked at", message))
  )

/** Sends the platform its events, as the settings say. */
export const platformHook = (settings: Settings) => {
  const { hookHosts, platformEventsSecret: secret, platformEventsUrl: url, profile } = settings
  if (url === "off") return orWarn(ended)
  if (url === undefined || secret === undefined) return orWarn(warned)
  return profile === "production"
    ? NodeWebhooks.layerPlatform({ url, secret }, hookHosts)
    : NodeWebhooks.layerPlatformDevelopment({ url, secret })
}
