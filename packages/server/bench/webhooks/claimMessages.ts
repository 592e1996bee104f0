/** Total that a node claimed until nothing was due. */
export interface ClaimReply {
  readonly deliveries: number
  readonly claims: number
}

/** The dispatcher's defaults. See `WebhookSettings`. */
export const mostAtOnce = 200
export const perEndpoint = 64
