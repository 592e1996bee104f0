import { DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import * as PlatformEvent from "../event/PlatformEvent.js"
import { EventId } from "../Ids.js"
import type { Merchant, MerchantStatusChange } from "./Merchant.js"

/**
 * Environment of the events about a merchant itself. A merchant belongs to no environment, but these events concern the
 * real business.
 */
const environment = "LIVE"

type Made = Effect.Effect<PlatformEvent.PlatformEvent, never, SecureRandom.SecureRandom>

/** Builds `merchant.created`. Omits the contact's name and e-mail address, which are personal data. */
export const createdEvent = ({ businessCode, createdAt, id: merchantId, profile, status }: Merchant): Made =>
  Effect.map(EventId.next, (id) =>
    PlatformEvent.make({
      id,
      merchantId,
      environment,
      topic: "merchant.created",
      occurredAt: createdAt,
      payload: {
        merchantId,
        businessCode,
        name: profile.name,
        legalName: profile.legalName,
        country: profile.country,
        status,
        createdAt: DateTime.formatIso(createdAt)
      }
    })
  )

/** Builds `merchant.status_changed`, with the actor and any reason. */
export const statusChangedEvent = ({ actor, at, from, merchantId, reason, to }: MerchantStatusChange): Made =>
  Effect.map(EventId.next, (id) =>
    PlatformEvent.make({
      id,
      merchantId,
      environment,
      topic: "merchant.status_changed",
      occurredAt: at,
      payload: { merchantId, from, to, actor, reason, changedAt: DateTime.formatIso(at) }
    })
  )
