import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { RequestStore } from "@surety/core/request/RequestStore"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import * as Played from "@surety/testing/refund/PlayedRefundLaws"
import * as Requests from "@surety/testing/request/RequestStoreLaws"
import * as Sandboxes from "@surety/testing/sandbox/SandboxStoreLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  edit,
  editAll,
  faultsOf,
  lookingFirst,
  type State
} from "./Fault.js"

const ofSandbox = faultsOf(SandboxStore)

const sooner = (at: DateTime.Utc, seconds: number): DateTime.Utc => DateTime.subtract(at, { seconds })

const moveGrants = (state: State, seconds: number, where: (scope: MerchantScope) => boolean): void =>
  editAll(state.grants, (grant) => (where(grant) ? { ...grant, expiresAt: sooner(grant.expiresAt, seconds) } : grant))

const sandboxes: ReadonlyArray<Broken> = [
  after(
    ofSandbox("switchRefunds", "switches LIVE refunds too", Sandboxes.switchesTestRefunds),
    (state, _, [id, enabled]) =>
      edit(state.merchants, id, (merchant) => ({
        ...merchant,
        settings: { ...merchant.settings, refundsEnabled: enabled }
      }))
  ),
  after(
    ofSandbox("advanceClock", "leaves webhooks where they are", Sandboxes.movesWhatWaits),
    (state, _, [, seconds]) =>
      editAll(state.deliveries, (stored) => {
        const { nextAttemptAt } = stored.delivery
        if (nextAttemptAt === undefined) return stored
        return { ...stored, delivery: { ...stored.delivery, nextAttemptAt: sooner(nextAttemptAt, -seconds) } }
      })
  ),
  after(ofSandbox("advanceClock", "moves times that happened", Sandboxes.movesWhatWaits), (state, _, [, seconds]) =>
    editAll(state.dataRequests, (stored) => ({
      ...stored,
      request: { ...stored.request, createdAt: sooner(stored.request.createdAt, seconds) }
    }))
  ),
  after(ofSandbox("advanceClock", "moves LIVE", Sandboxes.movesNobodyElse), (state, _, [id, seconds]) =>
    moveGrants(state, seconds, ({ environment, merchantId }) => merchantId === id && environment === "LIVE")
  ),
  after(ofSandbox("advanceClock", "moves every merchant's", Sandboxes.movesNobodyElse), (state, _, [id, seconds]) =>
    moveGrants(state, seconds, ({ environment, merchantId }) => merchantId !== id && environment === "TEST")
  ),
  after(ofSandbox("advanceClock", "leaves holders their time", Sandboxes.movesActions), (state, _, [, seconds]) =>
    editAll(state.verifications, (stored) => {
      const { nextAction } = stored.verification
      if (nextAction === undefined) return stored
      const later = { ...nextAction, expiresAt: sooner(nextAction.expiresAt, -seconds) }
      return { ...stored, verification: { ...stored.verification, nextAction: later } }
    })
  ),
  after(ofSandbox("advanceClock", "ends leases", Sandboxes.keepsLeases), (state) => {
    editAll(state.deliveries, (stored) => ({ ...stored, leasedUntil: undefined }))
    editAll(state.verifications, (stored) => ({ ...stored, leasedUntil: undefined }))
  }),
  before(ofSandbox("advanceClock", "forgets how far the clock was moved", Sandboxes.stopsAtTheEnd), (state, [id]) =>
    edit(state.sandboxes, id, (settings) => ({ ...settings, clockSeconds: 0 }))
  ),
  asking(
    ofSandbox("lapseRequest", "lets every merchant's request expire", Sandboxes.lapsesOnlyOwn),
    ([merchantId, id, at], state) => [state.dataRequests.get(id)?.request.merchantId ?? merchantId, id, at]
  ),
  after(ofSandbox("lapseGrant", "lets a grant expire later", Sandboxes.lapsesOnlyOwn), (state, _, [, id, expiresAt]) =>
    edit(state.grants, id, (grant) => (grant.environment === "TEST" ? { ...grant, expiresAt } : grant))
  )
]

const ofRequests = faultsOf(RequestStore)

const requests: ReadonlyArray<Broken> = [
  answering(ofRequests("list", "lists entries oldest first", Requests.listsNewestFirst), ({ data, nextCursor }) => ({
    data: data.toReversed(),
    nextCursor
  })),
  asking(ofRequests("list", "ignores the filter", Requests.listsNewestFirst), ([scope, , page]) => [
    scope,
    { status: undefined, route: undefined },
    page
  ]),
  after(ofRequests("append", "moves the last use back", Requests.movesLastUse), (state, _, [entries]) =>
    editAll(state.apiKeys, (key) => {
      const used = entries.findLast(({ apiKeyId }) => apiKeyId === key.id)
      return used === undefined ? key : { ...key, lastUsedAt: used.at }
    })
  ),
  asking(ofRequests("forget", "ignores the bound", Requests.forgetsOld), ([at]) => [at, 1_000])
]

const ofRefunds = faultsOf(RefundStore)

const played: ReadonlyArray<Broken> = [
  answering(ofRefunds("lease", "forgets what is played", Played.tellsWhatIsPlayed), (leased) =>
    Option.map(leased, ({ fence, refund }) => ({ fence, refund }))
  ),
  lookingFirst(
    ofRefunds("due", "finds refunds that wait for a helper", Played.leavesWaitingOut),
    (state) => [...state.refunds.values()].filter((stored) => stored.played === "pending"),
    (waiting, due, args) => Effect.map(due(...args), (ids) => [...ids, ...waiting.map(({ refund }) => refund.id)])
  ),
  asking(ofRefunds("release", "ignores the fence", Played.releasesLease), ([leased], state) => [
    { ...leased, fence: state.refunds.get(leased.refund.id)?.fence ?? 0 }
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [...sandboxes, ...requests, ...played]
