import { Context, Effect, Layer, Schema } from "effect"

/** Why a url may not be called. `code` is stable, `detail` tells the merchant what to send instead. */
export class TargetNotAllowed extends Schema.TaggedError<TargetNotAllowed>(
  "@surety/core/event/TargetPolicy/TargetNotAllowed"
)("TargetNotAllowed", {
  code: Schema.String,
  detail: Schema.String,
  /** Of what kind the address is that may not be called (`loopback`, `private`, …); never the address itself. */
  addressClass: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Which urls webhooks may be sent to: asked when an endpoint is registered, and again before every attempt. What a name
 * resolves to can change in between, so the HTTP client that makes the attempt checks the addresses it connects to.
 */
export class TargetPolicy extends Context.Service<
  TargetPolicy,
  {
    readonly check: (url: string) => Effect.Effect<void, TargetNotAllowed>
  }
>()("@surety/core/event/TargetPolicy") {}

const describe = (url: string): TargetNotAllowed | undefined => {
  if (!URL.canParse(url)) {
    return new TargetNotAllowed({ code: "url_invalid", detail: "Expected an absolute http or https url." })
  }
  const { password, protocol, username } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") {
    return new TargetNotAllowed({ code: "url_invalid", detail: "Expected an absolute http or https url." })
  }
  return username === "" && password === ""
    ? undefined
    : new TargetNotAllowed({ code: "url_credentials", detail: "Remove the user name and password from the url." })
}

/**
 * The development profile's policy: any http or https url, also a private one, so that a receiver on the same machine
 * can be tried. Credentials in the url stay refused.
 */
export const layerDevelopment: Layer.Layer<TargetPolicy> = Layer.succeed(TargetPolicy, {
  check: (url) => {
    const refusal = describe(url)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }
})
