import { Context, Effect, Layer, Schema } from "effect"

/** The url is not allowed. `code` is stable; `detail` says how to correct the url. */
export class TargetNotAllowed extends Schema.TaggedError<TargetNotAllowed>(
  "@surety/core/event/TargetPolicy/TargetNotAllowed"
)("TargetNotAllowed", {
  code: Schema.String,
  detail: Schema.String,
  /** Class of the forbidden address (`loopback`, `private`, …), never the address itself. */
  addressClass: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Decides which urls may be called, for example to send webhooks. An endpoint's url is checked when it is registered or
 * changed, and before every attempt. The host name may resolve differently after the check. In production, the HTTP
 * client therefore also checks the addresses it connects to.
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
 * Layer with a policy for development. Allows any http or https url, including private addresses, so that a receiver on
 * the same machine can be used. Still refuses credentials in the url.
 */
export const layerDevelopment: Layer.Layer<TargetPolicy> = Layer.succeed(TargetPolicy, {
  check: (url) => {
    const refusal = describe(url)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }
})
