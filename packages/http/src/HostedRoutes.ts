import { Context } from "effect"

/**
 * Returns the template of a route served alongside the API, such as the consent page, or `undefined` for other paths.
 * `path` is relative to the base path. Logs and metrics show the template instead of the path.
 */
export const HostedRoutes = Context.Reference<(path: string) => string | undefined>("@surety/http/HostedRoutes", {
  defaultValue: () => () => undefined
})
