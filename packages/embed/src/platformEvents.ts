import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer, Redacted } from "effect"
import type { Mac } from "effect/crypto"
import type { SuretyOptions } from "./SuretyOptions.js"

const ended = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* PlatformFeed
    const wasOn = yield* feed.end
    if (wasOn) yield* Effect.logWarning('platformEvents is "off": unsent platform events were deleted')
  }).pipe(Effect.catch(({ message }) => Effect.logWarning("Platform events could not be ended", message)))
)

/** Whether the host is sent platform events. */
export const isPlatformTold = ({ platformEvents: target }: SuretyOptions): boolean =>
  target !== undefined && target !== "off"

/** Sends the host its platform events, as the options say. */
export const platformEvents = ({
  platformEvents: target,
  targets
}: SuretyOptions): Layer.Layer<never, never, PlatformFeed | Mac.Mac> => {
  if (target === undefined) return Layer.empty
  if (target === "off") return ended
  const secret = Redacted.make(target.secret, { label: "platform events secret" })
  const layer = targets === "any" ? NodeWebhooks.layerPlatformDevelopment : NodeWebhooks.layerPlatform
  return layer({ url: target.url, secret })
}
