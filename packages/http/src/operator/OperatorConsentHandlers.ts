import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import type { ConsentListing, PersonFilter } from "@surety/core/consent/ConsentLog"
import { Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import type { Environment } from "@surety/core/Environment"
import { DataRequestId, GrantId, MerchantId, UserId } from "@surety/core/Ids"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Merchants } from "@surety/core/merchant/Merchants"
import {
  askingBlockLifted,
  consentLinkIssued,
  dataRequestDecided,
  grantChanged,
  grantRevoked
} from "@surety/core/operator/actionDrafts"
import { linksShown } from "@surety/core/operator/LinkSights"
import { soleOperator } from "@surety/core/operator/Operator"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Duration, Effect, type Layer, Redacted, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentOperator, type OperatorAccess } from "../access/OperatorAccess.js"
import { emptyPage, readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { problem } from "../problem/Problem.js"
import { makeActing } from "./ActingOperator.js"
import { askingBlockRecord, pendingRecord, receiptRecord } from "./ConsentRecords.js"
import {
  ApprovalRequest,
  ConsentLinkRequest,
  DenialRequest,
  GrantRequest,
  operatorConsentRefusals,
  RevocationRequest
} from "./OperatorConsentApi.js"
import { operatorNotFound } from "./operatorNotFound.js"

const dataRequestIn = pathId(DataRequestId, operatorNotFound.dataRequest)
const grantIn = pathId(GrantId, operatorNotFound.grant)
const readServiceId = Schema.decodeEffect(ServiceId)
const blockedIn = (sent: string) => Effect.mapError(readServiceId(sent), () => problem("asking_block_not_found"))
const merchantIn = pathId(MerchantId, "merchant_not_found")

const approval = formOf(ApprovalRequest)
const denial = formOf(DenialRequest)
const granting = formOf(GrantRequest)
const linking = formOf(ConsentLinkRequest)
const revocation = formOf(RevocationRequest)

/** Builds a consent change's actor. Its name is `sent`, or else the operator's. The deployment's own token has none. */
const consentActor = (sent: string | undefined): Effect.Effect<ConsentActor, never, CurrentOperator> =>
  Effect.map(CurrentOperator, ({ name }) => {
    const acted = sent ?? (name === soleOperator.name ? undefined : name)
    return { kind: "OPERATOR", ...(acted === undefined ? {} : { name: acted }) }
  })

const isMerchantId = Schema.is(MerchantId)

interface ListQuery {
  readonly environment?: Environment
  readonly merchantId?: string
  readonly userId?: string
}

const filterOf = ({ userId }: ListQuery): PersonFilter => ({
  userId: userId === undefined ? undefined : UserId.make(userId)
})

const shownBy = ({ environment = "LIVE" }: ListQuery): Environment => environment

const listingOf = ({ environment = "LIVE", merchantId }: ListQuery): ConsentListing | undefined => {
  if (merchantId === undefined) return { merchantId, environment }
  return isMerchantId(merchantId) ? { merchantId, environment } : undefined
}

const noRecords = Effect.succeed(emptyPage)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorConsent">,
  never,
  | OperatorAccess
  | OperatorActions
  | Merchants
  | Consumers
  | DataRequests
  | Grants
  | IdentityReads
  | Receipts
  | ManagementLinks
  | AskingBlocks
  | ConsentNotifier
> = HttpApiBuilder.group(
  Api,
  "operatorConsent",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const requests = yield* DataRequests
    const grants = yield* Grants
    const reads = yield* IdentityReads
    const receipts = yield* Receipts
    const links = yield* ManagementLinks
    const blocks = yield* AskingBlocks
    const consumers = yield* Consumers
    const acting = yield* makeActing
    const { leavesToOperator = false } = yield* ConsentNotifier

    return handlers
      .handle("listPendingDataRequests", ({ query }) =>
        answer(
          operatorConsentRefusals.listPendingDataRequests,
          Effect.gen(function* () {
            const { environment = "LIVE" } = query
            const key = ["operatorConsent.listPending", environment] as const
            const found = yield* readPage(key, query, (page) =>
              acting(requests.listPending(environment, page), ({ data }) =>
                linksShown(
                  environment,
                  leavesToOperator ? data.flatMap(({ request, url }) => (url === undefined ? [] : [request])) : []
                )
              )
            )
            return { environment, ...toPage(found, pendingRecord(leavesToOperator)) }
          })
        )
      )
      .handle("listDisownedDataRequests", ({ query }) =>
        answer(
          operatorConsentRefusals.listDisownedDataRequests,
          Effect.gen(function* () {
            const { environment = "LIVE" } = query
            const key = ["operatorConsent.listDisowned", environment] as const
            const found = yield* readPage(key, query, (page) => requests.listDisowned(environment, page))
            return { environment, ...toPage(found, (request) => request) }
          })
        )
      )
      .handle("listDataRequests", ({ query }) =>
        answer(
          operatorConsentRefusals.listDataRequests,
          Effect.gen(function* () {
            const listing = listingOf(query)
            const found = yield* readPage(
              ["operatorConsent.listDataRequests", query.environment ?? "LIVE"],
              query,
              (page) => (listing === undefined ? noRecords : requests.list(listing, filterOf(query), page))
            )
            return { environment: shownBy(query), ...toPage(found, (request) => request) }
          })
        )
      )
      .handleRaw("approveDataRequest", ({ params, request }) =>
        answer(
          operatorConsentRefusals.approveDataRequest,
          Effect.gen(function* () {
            const { actor, fields } = yield* readForm(request, approval, { whenEmpty: "empty object" })
            const target = { id: yield* dataRequestIn(params.dataRequestId), scope: undefined }
            const approved = requests.approve(target, {
              actor: yield* consentActor(actor),
              ...(fields === undefined ? {} : { fields })
            })
            return yield* acting(
              Effect.map(approved, (made) => made.request),
              dataRequestDecided("data_request.approved", actor)
            )
          })
        )
      )
      .handleRaw("denyDataRequest", ({ params, request }) =>
        answer(
          operatorConsentRefusals.denyDataRequest,
          Effect.gen(function* () {
            const { actor, reason = "DECLINED" } = yield* readForm(request, denial, { whenEmpty: "empty object" })
            const target = { id: yield* dataRequestIn(params.dataRequestId), scope: undefined }
            return yield* acting(
              requests.deny(target, { actor: yield* consentActor(actor), reason }),
              dataRequestDecided("data_request.denied", actor, reason)
            )
          })
        )
      )
      .handleRaw("grant", ({ request }) =>
        answer(
          operatorConsentRefusals.grant,
          Effect.gen(function* () {
            const { actor, environment = "LIVE", merchantId, ...grant } = yield* readForm(request, granting)
            const merchant = yield* merchants.get(yield* merchantIn(merchantId))
            const scope = { merchantId: merchant.id, environment }
            const granted = { ...grant, origin: "OPERATOR", actor: yield* consentActor(actor) } as const
            return yield* acting(grants.create(scope, granted), grantChanged("grant.created", actor))
          })
        )
      )
      .handle("listGrants", ({ query }) =>
        answer(
          operatorConsentRefusals.listGrants,
          Effect.gen(function* () {
            const listing = listingOf(query)
            const found = yield* readPage(["operatorConsent.listGrants", query.environment ?? "LIVE"], query, (page) =>
              listing === undefined ? noRecords : grants.list(listing, filterOf(query), page)
            )
            return { environment: shownBy(query), ...toPage(found, (grant) => grant) }
          })
        )
      )
      .handleRaw("revokeGrant", ({ params, request }) =>
        answer(
          operatorConsentRefusals.revokeGrant,
          Effect.gen(function* () {
            const { actor, reason } = yield* readForm(request, revocation, { whenEmpty: "empty object" })
            const target = { id: yield* grantIn(params.grantId), scope: undefined }
            const revoked = grants.revokeOnce(target, {
              actor: yield* consentActor(actor),
              ...(reason === undefined ? {} : { reason })
            })
            return (yield* acting(revoked, grantRevoked(actor, reason))).grant
          })
        )
      )
      .handleRaw("issueConsentLink", ({ request }) =>
        answer(
          operatorConsentRefusals.issueConsentLink,
          Effect.gen(function* () {
            const { days, environment = "LIVE", serviceId } = yield* readForm(request, linking)
            const consumer = yield* consumers.get(environment, serviceId)

            const issued = links.issue(
              { environment, serviceId, userId: consumer.userId },
              days === undefined ? {} : { lifetime: Duration.days(days) }
            )
            const { expiresAt, url } = yield* acting(issued, () => consentLinkIssued({ environment, serviceId }))
            return { serviceId, environment, url: Redacted.value(url), expiresAt }
          })
        )
      )
      .handle("listIdentityReads", ({ query }) =>
        answer(
          operatorConsentRefusals.listIdentityReads,
          Effect.gen(function* () {
            const listing = listingOf(query)
            const found = yield* readPage(
              ["operatorConsent.listIdentityReads", query.environment ?? "LIVE"],
              query,
              (page) => (listing === undefined ? noRecords : reads.list(listing, filterOf(query), page))
            )
            return { environment: shownBy(query), ...toPage(found, (read) => read) }
          })
        )
      )
      .handle("listAskingBlocks", ({ params, query }) =>
        answer(
          operatorConsentRefusals.listAskingBlocks,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const scope = { merchantId: id, environment: query.environment ?? "LIVE" }
            const key = ["operatorConsent.listAskingBlocks", id, scope.environment] as const
            const found = yield* readPage(key, query, (page) => blocks.list(scope, page))
            return { environment: scope.environment, ...toPage(found, askingBlockRecord) }
          })
        )
      )
      .handle("liftAskingBlock", ({ params, query }) =>
        answer(
          operatorConsentRefusals.liftAskingBlock,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const scope = { merchantId: id, environment: query.environment ?? "LIVE" } as const
            const serviceId = yield* blockedIn(params.serviceId)
            yield* acting(blocks.lift(scope, serviceId), (reason) => askingBlockLifted(scope, serviceId, reason))
          })
        )
      )
      .handle("listReceipts", ({ params, query }) =>
        answer(
          operatorConsentRefusals.listReceipts,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const scope = { merchantId: id, environment: query.environment ?? "LIVE" }
            const { data, nextCursor } = yield* readPage(
              ["operatorConsent.listReceipts", id, scope.environment],
              query,
              (page) => receipts.list(scope, filterOf(query), page)
            )
            const records = { data: yield* Effect.forEach(data, receiptRecord), nextCursor }
            return { environment: scope.environment, ...toPage(records, (record) => record) }
          })
        )
      )
  })
)
