import { Result } from "effect"
import { hookSecret } from "./hookSettings.js"
import { httpUrl, setting } from "./Setting.js"

export const platformSettings = {
  platformEventsUrl: setting("PLATFORM_EVENTS_URL", {
    meaning:
      "the url that gets every merchant's events and the platform's own by signed POSTs; in production https on a public host, unless HOOK_HOSTS names it; " +
      "off: keep no new events, and delete the unsent ones",
    unset: "unset: nothing is sent; a server that sent before keeps unsent events",
    read: (text) => (text === "off" ? Result.succeed(text) : httpUrl(text))
  }),
  platformEventsSecret: setting("PLATFORM_EVENTS_SECRET", {
    meaning: "signs those POSTs: whsec_ and base64, like an endpoint's secret",
    unset: "must be set with PLATFORM_EVENTS_URL",
    read: hookSecret("platform events secret")
  })
}
