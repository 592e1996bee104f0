/** Totals of a node's claims until nothing was due. */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/** Limits of one claim, in total and per endpoint. They equal the defaults of `WebhookSettings` for the steady lane. */
export const mostAtOnce = 200
export const perEndpoint = 64
