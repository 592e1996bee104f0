import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycValidation } from "@surety/core/kyc/provider/KycProvider"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import * as QoreId from "@surety/kyc-qoreid/QoreId"
import * as Fresh from "@surety/testing/FreshIds"
import { personal } from "@surety/testing/kyc/KycProviderLaws"
import * as QoreIdVendor from "@surety/testing/kyc/vendor/QoreIdVendor"
import type { VendorReply } from "@surety/testing/kyc/vendor/VendorServer"
import { Effect, Layer, Redacted, Result, type Schema } from "effect"

const { clientId, secret, webhookSecret } = QoreIdVendor.credentials

export const settingsFor = (url: string): QoreId.QoreIdSettings => ({
  clientId,
  secret: Redacted.make(secret),
  webhookSecret: Redacted.make(webhookSecret),
  url
})

export const layerOver = ({ server }: QoreIdVendor.QoreIdVendor): Layer.Layer<KycProvider> =>
  Layer.unwrap(Effect.map(server.listen, (url) => QoreId.layer(settingsFor(url))))

export const redacted = (sent: Partial<Record<"firstName" | "lastName" | "dateOfBirth", string>>): KycValidation =>
  Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, Redacted.make(text)]))

export const submit = Effect.fnUntraced(function* (
  kind: VerificationKind,
  id: string,
  sent: Parameters<typeof redacted>[0] = personal
) {
  const provider = yield* KycProvider
  const reference = Fresh.verificationId(yield* Fresh.now)
  const submission = { reference, kind, id: Redacted.make(id), validation: redacted(sent) }
  return { provider, reference, result: yield* Effect.result(provider.submit(submission)) }
})

export const withVendor = <A, E>(test: (vendor: QoreIdVendor.QoreIdVendor) => Effect.Effect<A, E, KycProvider>) =>
  Effect.suspend(() => {
    const vendor = QoreIdVendor.make()
    return Effect.scoped(Effect.provide(test(vendor), layerOver(vendor)))
  })

export const said = (result: Result.Result<KycOutcome, { readonly _tag: string; readonly reason: string }>) =>
  Result.match(result, {
    onFailure: ({ _tag, reason }) => `${_tag} ${reason}`,
    onSuccess: (outcome) => ("reason" in outcome ? `${outcome._tag} ${outcome.reason}` : outcome._tag)
  })

export const error = (statusCode: number, message: Schema.Json): VendorReply => ({
  status: statusCode,
  body: { statusCode, message }
})
