import type { HttpSettings } from "@surety/http/HttpSettings"
import type { ServerKeys } from "./DevelopmentKeys.js"
import type { Settings } from "./settings/Settings.js"

/**
 * Returns the `Host` names that open provisioning accepts, besides `localhost` and IP addresses. A request with an
 * operator's token may use any name.
 */
const ownNames = ({ host, publicUrl }: Settings): ReadonlyArray<string> => [
  host.toLowerCase(),
  ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])
]

export const httpSettings = (settings: Settings, keys: ServerKeys, origin: string): HttpSettings["Service"] => ({
  publicUrl: settings.publicUrl ?? `${origin}${settings.basePath}`,
  basePath: settings.basePath,
  provisioning: settings.provisioning,
  ownNames: ownNames(settings),
  operatorToken: keys.operatorToken,
  operators: settings.operators ?? [],
  docs: settings.docs,
  welcome: true
})
