/** HTTP method and path of an operation. */
export interface Route {
  readonly method: "GET" | "POST"
  /** Path template, with `{name}` for each parameter. */
  readonly path: string
  /** True if the operation takes an `Idempotency-Key`, so a retry never repeats the effect. */
  readonly keyed?: true
}

/** Returns true if the operation may be retried after an unknown outcome. */
export const isRepeatable = (route: Route): boolean => route.method === "GET" || route.keyed === true

export const hasEffect = (route: Route): boolean => route.method !== "GET"
