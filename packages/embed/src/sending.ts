import type { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import * as PlatformEvents from "@surety/webhooks/platform/PlatformEvents"
import { Layer, Redacted } from "effect"
import type { Mac } from "effect/crypto"
import type { SuretyOptions } from "./SuretyOptions.js"

/**
 * Builds the layer that sends platform events to the host. With `off`, the layer instead stops storing them and deletes
 * unsent ones. Empty if the host omits the option.
 */
const platformEvents = ({
  platformEvents: target,
  targets
}: SuretyOptions): Layer.Layer<never, never, PlatformFeed | Mac.Mac> => {
  if (target === undefined) return Layer.empty
  if (target === "off") return PlatformEvents.layerOff('platformEvents is "off"')
  const secret = Redacted.make(target.secret, { label: "platform events secret" })
  const layer = targets === "any" ? NodeWebhooks.layerPlatformDevelopment : NodeWebhooks.layerPlatform
  return layer({ url: target.url, secret })
}

/** Builds the layer that sends webhooks and, if configured, events to the host. */
export const sending = (
  options: SuretyOptions
): Layer.Layer<never, never, Layer.Services<typeof NodeWebhooks.layer> | PlatformFeed> =>
  Layer.merge(options.targets === "any" ? NodeWebhooks.layerDevelopment : NodeWebhooks.layer, platformEvents(options))
