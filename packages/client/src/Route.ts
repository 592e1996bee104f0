/** How an operation is reached. */
export interface Route {
  readonly method: "GET" | "POST"
  /** With `{name}` where a parameter of the path stands. */
  readonly path: string
  /** Whether it takes an `Idempotency-Key`, so that sending it again never does it twice. */
  readonly keyed?: true
}

/** Whether the operation may be sent again although it is not known what became of the first time. */
export const isRepeatable = (route: Route): boolean => route.method === "GET" || route.keyed === true

/** Whether the operation changes something. */
export const hasEffect = (route: Route): boolean => route.method !== "GET"
