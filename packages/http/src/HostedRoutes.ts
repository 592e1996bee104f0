import { Context } from "effect"

/**
 * The template of a route that is served beside the interface, such as the consent page's, by its path below the base
 * path; `undefined` for a path that is none of theirs. It stands in the log and in the metrics in the path's place.
 */
export const HostedRoutes = Context.Reference<(path: string) => string | undefined>("@surety/http/HostedRoutes", {
  defaultValue: () => () => undefined
})
