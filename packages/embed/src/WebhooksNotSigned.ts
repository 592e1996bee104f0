import { Schema } from "effect"

/** Maximum number of endpoints named in the message. */
const mostNamed = 5

/**
 * Due webhooks of these endpoints cannot be signed, for example because the secret key that sealed an endpoint's secret
 * is lost. They wait, without using an attempt, until they can be signed.
 */
export class WebhooksNotSigned extends Schema.TaggedError<WebhooksNotSigned>(
  "@surety/embed/WebhooksNotSigned/WebhooksNotSigned"
)("WebhooksNotSigned", {
  endpointIds: Schema.Array(Schema.String),
  /** Why, each reason once. Contains key ids, but no secrets. */
  reasons: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const named = this.endpointIds.slice(0, mostNamed).join(", ")
    const others = this.endpointIds.length - mostNamed
    return (
      `Webhooks wait because they cannot be signed, to ${named}${others > 0 ? ` and ${others} more` : ""}. ` +
      `${this.reasons.join(" ")} If a key is lost, rotate the endpoint's secret with overlapSeconds 0.`
    )
  }
}
