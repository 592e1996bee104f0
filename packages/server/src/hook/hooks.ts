import * as ConsumerAuthenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as OneTimeCodes from "@surety/core/consent/admission/OneTimeCodes"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as HostDirectory from "@surety/core/consumer/HostDirectory"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import { Wallet, WalletDeferred } from "@surety/core/refund/Wallet"
import * as ConsentHook from "@surety/webhooks/hook/ConsentHook"
import * as DirectoryHook from "@surety/webhooks/hook/DirectoryHook"
import type { HookTarget } from "@surety/webhooks/hook/HookCaller"
import * as WalletHook from "@surety/webhooks/hook/WalletHook"
import * as NodeHooks from "@surety/webhooks/node/NodeHooks"
import { isNamed } from "@surety/webhooks/target/TargetUrl"
import { Effect, Layer, type Redacted } from "effect"
import type { Settings } from "../settings/Settings.js"

/** Notifier used if no consent hook is configured. The operator forwards the links, and no codes can be sent. */
const operatorBrings = Layer.merge(
  ConsentNotifier.layerNone,
  Layer.succeed(OneTimeCodes.CodeSender, { send: () => Effect.die(new Error("No hook sends codes.")) })
)

const sendsNothing = new Error("WORKERS=off: this server calls no hook.")

/**
 * Notifier of a server without workers, which calls no hook. Notifications stay due for a server with workers, and
 * codes are not sent.
 */
const silentNotifier = Layer.merge(
  Layer.succeed(ConsentNotifier.ConsentNotifier, {
    notify: () => Effect.fail(new ConsentNotifier.NotifierUnavailable({ cause: sendsNothing }))
  }),
  Layer.succeed(OneTimeCodes.CodeSender, {
    send: () => Effect.fail(new ConsumerAuthenticator.AuthenticatorUnavailable({ cause: sendsNothing }))
  })
)

/**
 * Wallet of a server without workers. It keeps LIVE refunds pending until a server with workers calls the platform's
 * wallet.
 */
const silentWallet = Layer.succeed(Wallet, {
  environments: ["LIVE"],
  credit: () => Effect.fail(new WalletDeferred()),
  lookup: () => Effect.fail(new WalletDeferred())
})

/** Directory of a server without workers. It discloses no data of LIVE people. */
const silentDirectory = HostDirectory.layer({
  environments: ["LIVE"],
  values: () => Effect.fail(new ConsumerDirectory.DirectoryUnavailable({ cause: sendsNothing }))
})

const targetOf = (url: string | undefined, secret: Redacted.Redacted<string> | undefined): HookTarget | undefined =>
  url === undefined || secret === undefined ? undefined : { url, secret }

/** Returns the target of each hook. Undefined for a hook that is not configured. */
export const targetsOf = (settings: Settings) => ({
  consent: targetOf(settings.consentNotifyUrl, settings.consentNotifySecret),
  wallet: targetOf(settings.walletUrl, settings.walletSecret),
  directory: targetOf(settings.directoryUrl, settings.directorySecret),
  platformEvents:
    settings.platformEventsUrl === "off"
      ? undefined
      : targetOf(settings.platformEventsUrl, settings.platformEventsSecret)
})

export const unusedHosts = (settings: Settings): ReadonlyArray<string> => {
  const urls = Object.values(targetsOf(settings)).flatMap((target) => (target === undefined ? [] : [target.url]))
  return settings.hookHosts.filter((host) => !urls.some((url) => isNamed(url, [host])))
}

/** Provides the client that calls hooks. In production, hosts outside `HOOK_HOSTS` must be public and use HTTPS. */
export const caller = ({ hookHosts, profile }: Settings) =>
  profile === "production" ? NodeHooks.layer(hookHosts) : NodeHooks.layerDevelopment

/**
 * Provides the senders of notifications and one-time codes, which call the platform's hook. Without that hook, the
 * operator forwards the links, and no codes can be sent. A server without workers calls no hook.
 */
export const consentNotifier = (settings: Settings) => {
  const { consent } = targetsOf(settings)
  if (consent === undefined) return operatorBrings
  return settings.workers ? ConsentHook.layer(consent).pipe(Layer.provide(caller(settings))) : silentNotifier
}

/**
 * Provides the platform's wallet for LIVE refunds. Undefined if its hook is not configured. A server without workers
 * keeps the refunds pending.
 */
export const wallet = (settings: Settings) => {
  const { wallet: target } = targetsOf(settings)
  if (target === undefined) return undefined
  return settings.workers ? WalletHook.layer(target).pipe(Layer.provide(caller(settings))) : silentWallet
}

/**
 * Provides the platform's directory of LIVE people. Undefined if the directory hook is not configured. A server without
 * workers discloses no data of these people.
 */
export const directory = (settings: Settings) => {
  const { directory: target } = targetsOf(settings)
  if (target === undefined) return undefined
  return settings.workers ? DirectoryHook.layer(target).pipe(Layer.provide(caller(settings))) : silentDirectory
}

/** Provides the fields that people can grant: the standard ones, and those that `DIRECTORY_FIELDS` adds. */
export const fields = ({ directoryFields }: Settings): Layer.Layer<never> =>
  Layer.succeed(IdentityFields, withFields(...directoryFields))

export const authenticator = ({ consentCode }: Settings) =>
  consentCode ? OneTimeCodes.layer : ConsumerAuthenticator.layerLink
