/** Totals of a node's claims in one round. A node's first message has zeros, and only says that the node is ready. */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/**
 * Limits on the deliveries in one claim, and on those leased at a time from one endpoint. They equal the defaults of
 * `claimLimit` and `steady.perEndpoint` in `WebhookSettings`.
 */
export const mostAtOnce = 200
export const perEndpoint = 64
