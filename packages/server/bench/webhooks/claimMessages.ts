/**
 * Totals of a node's claims until nothing was due. `claims` includes those that found nothing. Both are 0 in the first
 * message, which says that the node has started.
 */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/**
 * Limits on the deliveries in one claim, and on an endpoint's deliveries leased at a time. They equal the defaults of
 * `claimLimit` and `steady.perEndpoint` in `WebhookSettings`.
 */
export const mostAtOnce = 200
export const perEndpoint = 64
