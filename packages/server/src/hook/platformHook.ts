import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import * as PlatformEvents from "@surety/webhooks/platform/PlatformEvents"
import { DateTime, Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.js"

const warned = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  const { isOn } = yield* feed.stats(yield* DateTime.now, 1)
  if (!isOn) return
  yield* Effect.logWarning(
    "PLATFORM_EVENTS_URL is not set: platform events are kept unsent. Set it, or set it to off to stop keeping them"
  )
})

const warning = Layer.effectDiscard(
  Effect.catch(warned, ({ message }) => Effect.logWarning("Platform feed could not be checked", message))
)

/**
 * Provides the sender of platform events. If `PLATFORM_EVENTS_URL` is `off`, turns the feed off and deletes the unsent
 * events. If the url or its secret is missing, sends nothing, and warns if events are being stored.
 */
export const platformHook = (settings: Settings) => {
  const { hookHosts, platformEventsSecret: secret, platformEventsUrl: url, profile } = settings
  if (url === "off") return PlatformEvents.layerOff("PLATFORM_EVENTS_URL=off")
  if (url === undefined || secret === undefined) return warning
  return profile === "production"
    ? NodeWebhooks.layerPlatform({ url, secret }, hookHosts)
    : NodeWebhooks.layerPlatformDevelopment({ url, secret })
}
