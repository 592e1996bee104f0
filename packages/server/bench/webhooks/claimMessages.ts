/**
 * Totals of a node's claims until nothing was due. `claims` includes empty claims. Both are 0 in the first message,
 * which signals that the node has started.
 */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/**
 * Maximum number of deliveries in one claim, and of one endpoint's deliveries leased at a time. Both equal the defaults
 * of `claimLimit` and `steady.perEndpoint` in `WebhookSettings`.
 */
export const mostAtOnce = 200
export const perEndpoint = 64
