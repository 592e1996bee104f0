import { IdentityField, specified } from "@surety/core/consumer/IdentityField"
import { hostOf } from "@surety/webhooks/target/TargetUrl"
import { Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { httpUrl, setting } from "./Setting.js"

const leastSecretBytes = 24

/** Parses a hook's secret: `whsec_` and at least 24 bytes in base64, like an endpoint's. */
export const hookSecret =
  (label: string) =>
  (text: string): Result.Result<Redacted.Redacted<string>, string> => {
    const bytes = Base64.decode(text.replace(/^whsec_/, ""))
    return text.startsWith("whsec_") && Result.isSuccess(bytes) && bytes.success.length >= leastSecretBytes
      ? Result.succeed(Redacted.make(text, { label }))
      : Result.fail(
          `must be whsec_ and at least ${leastSecretBytes} bytes in base64; generate one: ` +
            'echo "whsec_$(openssl rand -base64 32)"'
        )
  }

const listOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(",").map((part) => part.trim()))

const readHosts = (text: string): Result.Result<ReadonlyArray<string>, string> =>
  Result.mapError(
    Result.all(
      listOf(text).map((part) => {
        const host = hostOf(part)
        return host === undefined ? Result.fail(part) : Result.succeed(host)
      })
    ),
    (part) => `has "${part}", which is not a host name or address alone, such as wallet.internal or 10.0.0.7`
  )

const isField = Schema.is(IdentityField)

const readFields = (text: string): Result.Result<ReadonlyArray<IdentityField>, string> => {
  const names = listOf(text)
  const fields = names.filter(isField)
  if (fields.length < names.length) {
    return Result.fail(`is "${text}"; it must list names made of lower-case letters, digits and underscores`)
  }
  const own = fields.find((field) => specified.includes(field))
  return own === undefined ? Result.succeed(fields) : Result.fail(`has ${own}, which is already a standard field`)
}

const inProduction = "in production https on a public host, unless HOOK_HOSTS names it"

/** Settings of the hooks through which a platform provides its wallet and its records of people (contract 15.1). */
export const hookSettings = {
  walletUrl: setting("WALLET_URL", {
    meaning: `the platform's wallet, which LIVE refunds credit by a signed POST; ${inProduction}`,
    unset: "unset: this ledger is the wallet",
    read: httpUrl
  }),
  walletSecret: setting("WALLET_SECRET", {
    meaning: "signs those POSTs: whsec_ and base64, like an endpoint's secret",
    unset: "must be set with WALLET_URL",
    read: hookSecret("wallet secret")
  }),
  directoryUrl: setting("DIRECTORY_URL", {
    meaning: `the platform's records of people, where granted fields are read by a signed POST; ${inProduction}`,
    unset: "unset: consumers' own records",
    read: httpUrl
  }),
  directorySecret: setting("DIRECTORY_SECRET", {
    meaning: "signs those POSTs: whsec_ and base64, like an endpoint's secret",
    unset: "must be set with DIRECTORY_URL",
    read: hookSecret("directory secret")
  }),
  directoryFields: setting("DIRECTORY_FIELDS", {
    meaning:
      "a comma-separated list of fields that the platform's records have in addition to the six standard ones: date_of_birth,city",
    default: "",
    defaultText: "none",
    read: readFields
  }),
  hookHosts: setting("HOOK_HOSTS", {
    meaning:
      "a comma-separated list of hosts whose hooks may also be called by http, on any port and at private addresses: wallet.internal",
    default: "",
    defaultText: "none",
    read: readHosts
  })
}
