import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { MerchantId } from "../Ids.js"
import { AccountKey } from "./Account.js"

const Parts = Schema.fromJsonString(
  Schema.Tuple([
    AccountKey.fields.environment,
    AccountKey.fields.kind,
    AccountKey.fields.currency,
    AccountKey.fields.owner
  ])
)

const encode = Schema.encodeSync(Parts)
const decode = Schema.decodeOption(Parts)
const isMerchantId = Schema.is(MerchantId)

/** Encodes an account's key as one opaque string for url paths, since a host's user ids may contain any character. */
export const accountId = ({ currency, environment, kind, owner }: AccountKey): string =>
  Base64Url.encode(encode([environment, kind, currency, owner]))

/** Parses an account's id. `None` if it is malformed. */
export const parseAccountId = (id: string): Option.Option<AccountKey> => {
  const text = Base64Url.decodeString(id)
  if (Result.isFailure(text)) return Option.none()
  return Option.flatMap(decode(text.success), ([environment, kind, currency, owner]) => {
    const key = { environment, kind, currency, owner }
    const isWellOwned = kind !== "SETTLEMENT" || isMerchantId(owner)
    return isWellOwned && !owner.includes("\0") && accountId(key) === id ? Option.some(key) : Option.none()
  })
}
