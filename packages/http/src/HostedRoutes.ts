import { Context } from "effect"

/**
 * Returns the template of a route served alongside the API, such as the consent page. The path is relative to the base
 * path. `undefined` for other paths. Logs and metrics show the template instead of the path.
 */
export const HostedRoutes = Context.Reference<(path: string) => string | undefined>("@surety/http/HostedRoutes", {
  defaultValue: () => () => undefined
})
