import type { Consumer } from "@surety/core/consumer/Consumer"
import { PlatformTopic } from "@surety/core/event/PlatformEvent"
import type { FeedEvent, FeedTopic } from "@surety/core/event/PlatformFeed"
import type { MerchantId } from "@surety/core/Ids"
import { isVerificationOpen } from "@surety/core/kyc/verification/Verification"
import { DateTime, Schema } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { isSameIn } from "./Lifecycles.js"

/** Minimum, maximum and actual number of events in a step, for one topic, merchant and cause. */
interface Account {
  readonly name: () => string
  least: number
  most: number
  events: number
}

/** Matches each step's facts with their events. */
class Ledger {
  readonly #world: World
  readonly #accounts = new Map<string, Account>()

  constructor(world: World) {
    this.#world = world
    world.afterStep(() => this.#close())
  }

  #of(topic: string, merchantId: MerchantId | undefined, cause: string): Account {
    const key = `${topic} ${merchantId ?? ""} ${cause}`
    const account = this.#accounts.get(key) ?? {
      name: () => `${topic} of ${this.#world.nameOf(cause)}`,
      least: 0,
      most: 0,
      events: 0
    }
    this.#accounts.set(key, account)
    return account
  }

  /** Counts a fact. A certain fact requires an event; an uncertain one only permits it. */
  happened(topic: FeedTopic, merchantId: MerchantId | undefined, cause: string, isCertain = true): void {
    const account = this.#of(topic, merchantId, cause)
    account.most += 1
    if (isCertain) account.least += 1
  }

  told(topic: FeedTopic, merchantId: MerchantId | undefined, cause: string): void {
    this.#of(topic, merchantId, cause).events += 1
  }

  /** Counts a merchant's event (`happened`), or its copy in the platform's feed (`told`). They must share a commit. */
  kept(id: string, by: "happened" | "told"): void {
    const account = this.#of("the platform's copy", undefined, id)
    if (by === "told") account.events += 1
    else {
      account.least += 1
      account.most += 1
    }
  }

  #close(): void {
    for (const { events, least, most, name } of this.#accounts.values()) {
      this.#world.require(least <= events && events <= most, "told_iff_committed", () => {
        const facts = least === most ? String(least) : `${least} to ${most}`
        return `${name()} happened ${facts} times and has ${events} events`
      })
    }
    this.#accounts.clear()
  }
}

/** Fields of a person's record, with the names under which merchants read them. */
const readable = [
  ["displayName", "display_name"],
  ["country", "country"],
  ["email", "email"],
  ["phoneVerified", "phone_verified"]
] as const satisfies ReadonlyArray<readonly [keyof Consumer, string]>

/** Checks that each merchant with access to a changed field of a person gets an event about the change. */
const watchChanges = (world: World, ledger: Ledger): void => {
  const { state } = world
  observe(state.consumers, (_, before, after) => {
    if (before === undefined || after === undefined || world.erasing !== undefined) return
    const changed = readable.flatMap(([detail, field]) => (isSameIn(world, before, after, [detail]) ? [] : [field]))
    const readers = [...state.grants.values()].filter(
      ({ environment, fields, userId }) =>
        environment === after.environment &&
        userId === after.userId &&
        changed.some((field) => fields.some((one) => one === field))
    )
    for (const merchantId of new Set(readers.map((grant) => grant.merchantId))) {
      // Near a grant's end, the clock of the deciding process determines whether the grant counts as in force.
      const isCertain = readers.some(
        (grant) =>
          grant.merchantId === merchantId &&
          grant.status === "ACTIVE" &&
          DateTime.toEpochMillis(grant.expiresAt) > world.nowMillis + mostSkewMillis
      )
      ledger.happened("merchant.identity.data_changed", merchantId, after.serviceId, isCertain)
    }
  })
}

const watchMerchantsFacts = (world: World, ledger: Ledger): void => {
  const { state } = world
  observe(state.payments, (_, before, after) => {
    if (after?.status !== "SETTLED" || before?.status === "SETTLED") return
    ledger.happened("transaction.settled", after.merchantId, after.id)
  })
  observe(state.refunds, (_, before, after) => {
    if (after === undefined || before?.refund.status === after.refund.status) return
    const { id, merchantId, status } = after.refund
    if (status === "COMPLETED") ledger.happened("refund.completed", merchantId, id)
    if (status === "FAILED") ledger.happened("refund.failed", merchantId, id)
  })
  observe(state.dataRequests, (_, before, after) => {
    if (before?.request.status !== "PENDING" || after === undefined) return
    const { id, merchantId, status } = after.request
    if (status === "APPROVED") ledger.happened("merchant.identity.request.approved", merchantId, id)
    if (status === "DENIED") ledger.happened("merchant.identity.request.denied", merchantId, id)
    if (status === "EXPIRED") ledger.happened("merchant.identity.request.expired", merchantId, id)
  })
  observe(state.grants, (_, before, after) => {
    if (after === undefined || before?.status === after.status) return
    const { id, merchantId, status } = after
    if (before === undefined) ledger.happened("merchant.identity.consent_granted", merchantId, id)
    if (status === "REVOKED") ledger.happened("merchant.identity.consent_revoked", merchantId, id)
    if (status === "EXPIRED") ledger.happened("merchant.identity.consent_expired", merchantId, id)
  })
  observe(state.verifications, (_, before, after) => {
    if (after === undefined || isVerificationOpen(after.verification.status)) return
    if (before !== undefined && !isVerificationOpen(before.verification.status)) return
    ledger.happened("kyc.verification.completed", after.verification.merchantId, after.verification.id)
  })
  observe(state.endpoints, (_, before, after) => {
    if (before?.status !== "ENABLED" || after?.status !== "DISABLED") return
    ledger.happened("endpoint.disabled", after.merchantId, after.id)
  })
}

/** Counts the facts whose events go only to the platform, while its feed is on. */
const watchPlatformsFacts = (world: World, ledger: Ledger): void => {
  const { state } = world
  const happened: Ledger["happened"] = (topic, merchantId, cause) => {
    if (state.platformFeed.streams !== undefined) ledger.happened(topic, merchantId, cause)
  }
  observe(state.merchantHistory, (id, before = [], after = []) => {
    for (const { from } of after.slice(before.length)) {
      happened(from === undefined ? "merchant.created" : "merchant.status_changed", id, id)
    }
  })
  observe(state.refunds, (_, before, after) => {
    if (before !== undefined || after?.refund.status !== "PENDING") return
    happened("refund.pending", after.refund.merchantId, after.refund.id)
  })
  observe(state.dataRequests, (_, before, after) => {
    if (before?.request.status !== "PENDING" || after?.request.denialReason !== "NOT_ME") return
    happened("consent.disowned", after.request.merchantId, after.request.id)
  })
  observe(state.rightsRequests, (_, before, after) => {
    if (before === undefined && after !== undefined) happened("person.rights_requested", undefined, after.id)
  })
}

const ids = Schema.optionalKey(Schema.String)
const decodeIds = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ merchantId: ids, refundId: ids, dataRequestId: ids, requestId: ids }))
)

/** Returns the id of a platform event's record, or an empty string if the body names none. */
const causeOf = ({ body }: FeedEvent): string => {
  const { dataRequestId, merchantId, refundId, requestId } = decodeIds(body)
  return dataRequestId ?? refundId ?? requestId ?? merchantId ?? ""
}

const isPlatforms = Schema.is(PlatformTopic)

/**
 * Checks that each committed fact has one event in the same commit, and each event one fact. Test events are exempt.
 */
export const watchFacts = (world: World, onFeed: (see: (event: FeedEvent) => void) => void): void => {
  const { state } = world
  const ledger = new Ledger(world)
  watchChanges(world, ledger)
  watchMerchantsFacts(world, ledger)
  watchPlatformsFacts(world, ledger)
  observe(state.events, (id, before, after) => {
    if (before !== undefined || after === undefined || after.event.testFor !== undefined) return
    ledger.told(after.event.topic, after.event.merchantId, after.cause)
    if (state.platformFeed.streams !== undefined) ledger.kept(id, "happened")
  })
  onFeed((event) => {
    world.reach(`platform's event ${event.topic}`)
    // An event of any other topic is the platform's copy of a merchant's event.
    if (isPlatforms(event.topic)) ledger.told(event.topic, event.merchantId, causeOf(event))
    else ledger.kept(event.id, "told")
  })
}
