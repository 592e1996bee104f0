/** Method and path of an operation. */
export interface Route {
  readonly method: "GET" | "POST"
  /** With `{name}` for each path parameter. */
  readonly path: string
  /** Whether it takes an `Idempotency-Key`, so that a retry never repeats the effect. */
  readonly keyed?: true
}

/** Whether the operation may be retried although the first outcome is unknown. */
export const isRepeatable = (route: Route): boolean => route.method === "GET" || route.keyed === true

/** Whether the operation changes something. */
export const hasEffect = (route: Route): boolean => route.method !== "GET"
