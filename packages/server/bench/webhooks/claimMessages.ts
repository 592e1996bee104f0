/** What a node took until nothing was due. */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/** As the dispatcher does by default: see `WebhookSettings`. */
export const mostAtOnce = 200
export const perEndpoint = 64
