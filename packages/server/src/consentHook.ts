import * as ConsentNotifier from "@surety/core/consent/ConsentNotifier"
import * as ConsumerAuthenticator from "@surety/core/consent/ConsumerAuthenticator"
import * as OneTimeCodes from "@surety/core/consent/OneTimeCodes"
import * as ConsentHook from "@surety/webhooks/ConsentHook"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

/** Nobody is told: the operator brings people their links. Codes are not demanded then, and there is nobody to send them. */
const operatorBrings = Layer.merge(
  ConsentNotifier.layerNone,
  Layer.succeed(OneTimeCodes.CodeSender, { send: () => Effect.die(new Error("No hook sends codes.")) })
)

/** How people are told of what waits for them: through the platform's hook where one is set. */
export const hook = ({ consentNotifySecret: secret, consentNotifyUrl: url, profile }: Settings) =>
  url === undefined || secret === undefined
    ? operatorBrings
    : ConsentHook.layer({ url, secret }).pipe(
        Layer.provide(profile === "production" ? NodeWebhooks.layerCalls : NodeWebhooks.layerCallsDevelopment)
      )

/** What is demanded of whoever opens a link. */
export const authenticator = ({ consentCode }: Settings) =>
  consentCode ? OneTimeCodes.layer : ConsumerAuthenticator.layerLink
