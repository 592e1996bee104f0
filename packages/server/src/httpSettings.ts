import type { HttpSettings } from "@surety/http/HttpSettings"
import type { ServerKeys } from "./DevelopmentKeys.js"
import type { Settings } from "./settings/Settings.js"

/** What the settings decide of the interface, where it listens at `origin`. */
export const httpSettings = (settings: Settings, keys: ServerKeys, origin: string): HttpSettings["Service"] => ({
  publicUrl: settings.publicUrl ?? `${origin}${settings.basePath}`,
  basePath: settings.basePath,
  provisioning: settings.provisioning,
  operatorToken: keys.operatorToken,
  docs: settings.docs
})
