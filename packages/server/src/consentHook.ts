import * as ConsumerAuthenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as OneTimeCodes from "@surety/core/consent/admission/OneTimeCodes"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsentHook from "@surety/webhooks/ConsentHook"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** Nobody is told: the operator brings people their links. Codes are not demanded then, and there is nobody to send them. */
const operatorBrings = Layer.merge(
  ConsentNotifier.layerNone,
  Layer.succeed(OneTimeCodes.CodeSender, { send: () => Effect.die(new Error("No hook sends codes.")) })
)

const sendsNothing = new Error("WORKERS=off: this server calls no hook.")

/** The hook is not called. Notices stay due, for a server that sends; codes cannot be had from this one. */
const silent = Layer.merge(
  Layer.succeed(ConsentNotifier.ConsentNotifier, {
    notify: () => Effect.fail(new ConsentNotifier.NotifierUnavailable({ cause: sendsNothing }))
  }),
  Layer.succeed(OneTimeCodes.CodeSender, {
    send: () => Effect.fail(new ConsumerAuthenticator.AuthenticatorUnavailable({ cause: sendsNothing }))
  })
)

/** How people are told of what waits for them: through the platform's hook if one is set. */
export const hook = ({ consentNotifySecret: secret, consentNotifyUrl: url, profile, workers }: Settings) => {
  if (url === undefined || secret === undefined) return operatorBrings
  if (!workers) return silent
  return ConsentHook.layer({ url, secret }).pipe(
    Layer.provide(profile === "production" ? NodeWebhooks.layerCalls : NodeWebhooks.layerCallsDevelopment)
  )
}

/** What is demanded of whoever opens a link. */
export const authenticator = ({ consentCode }: Settings) =>
  consentCode ? OneTimeCodes.layer : ConsumerAuthenticator.layerLink
