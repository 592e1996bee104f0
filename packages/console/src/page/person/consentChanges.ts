import { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import { isPending } from "@surety/core/consent/request/DataRequest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { DataRequestId, GrantId } from "@surety/core/Ids"
import { askingBlockLifted, dataRequestDecided, grantRevoked } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import type { StoreError } from "@surety/core/StoreError"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Schema } from "effect"
import { changeForm, choices } from "../../screen/changeForm.js"
import { facts, head, lookAgain, note, panel, pill, wholeId } from "../../screen/parts.js"
import { grantState, requestState } from "../../screen/personStates.js"
import { actingAs, orMissing } from "../actingAs.js"
import { type ConsolePage, FormRefused, formRefused, type PageView } from "../ConsolePage.js"
import { merchantIn } from "../merchant.js"
import { merchantNames } from "../merchantNames.js"
import { placeOf } from "../placeOf.js"
import { living } from "./personChanges.js"

const readRequestId = Schema.decodeUnknownEffect(DataRequestId)
const readGrantId = Schema.decodeUnknownEffect(GrantId)

const orRefused = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  change: Effect.Effect<A, E, R>
) => Effect.catchIf(change, (error): error is Exclude<E, StoreError> => error._tag !== "StoreError", formRefused)

const actorOf = ({ session }: PageView) => ({ kind: "OPERATOR", name: session.operator }) as const

const requestIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readRequestId(view.param("requestId")))
  const scope = yield* placeOf(view, id)
  return yield* orMissing((yield* DataRequests).get({ id, scope }))
})

const denials = [
  { value: "DECLINED", title: "They do not want it", text: "The merchant may ask again, within its limits." },
  {
    value: "NOT_ME",
    title: "They do not know the merchant",
    text: "A sign of fraud. The merchant may not ask them again."
  }
] as const

/** `consents/requests/{id}`: a data request and, while it is pending, forms to enter the person's decision. */
export const consentRequestPage: ConsolePage = {
  path: "consents/requests/:requestId",
  room: "consents",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const request = yield* requestIn(view)
    const { approvedFields, decidedAt, decidedBy, grantId, id, merchantId, serviceId } = request
    const names = yield* merchantNames([request])
    const [tone, word] = requestState(request)
    return {
      title: "Data request",
      body: html`${head({
        crumb: html`<a href="${view.href("consents/requests")}">Consents</a> /`,
        title: html`<span class="soft">Asked by</span> ${names.of(merchantId)}`,
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span><a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a> to <a href="${view.href(`people/${serviceId}`)}">${serviceId}</a></span>`,
        acts: lookAgain(view)
      })}
<div class="cols"><div class="stack">${panel(
        "Asked",
        facts([
          ["Fields", request.requestedFields.join(", ")],
          ["For", isolated(request.purpose, 300)],
          ["When", view.times.moment(request.createdAt)],
          ["Until", view.times.moment(request.expiresAt)],
          ["Allowed", approvedFields?.join(", ")],
          ["Decided", decidedAt === undefined ? undefined : view.times.moment(decidedAt)],
          ["By", decidedBy === undefined ? undefined : isolated(decidedBy.name ?? decidedBy.kind.toLowerCase(), 64)],
          [
            "Grant",
            grantId === undefined
              ? undefined
              : html`<a href="${view.href(`consents/grants/${grantId}`)}">${wholeId(grantId)}</a>`
          ]
        ])
      )}</div><div class="stack">${
        isPending(request, view.now)
          ? html`<section class="panel" aria-label="Approve"><header><h2>Approve for the person</h2></header><div class="pad">${note("warn", "Only if the person told you so themselves. The receipt names you.")}</div>${changeForm(view, { name: "approve", button: "Approve all fields", hint: "How the person told you." })}</section><section class="panel" aria-label="Deny"><header><h2>Deny for the person</h2></header>${changeForm(view, { name: "deny", button: "Deny", isSecond: true, fields: choices(view, "deny", { name: "denial", label: "Why", options: denials }), hint: "How the person told you." })}</section>`
          : undefined
      }</div></div>`
    }
  }),
  forms: {
    approve: {
      role: commandRoles["dataRequest.decide"],
      done: "The request is approved for the person.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { id, environment, merchantId } = yield* requestIn(view)
        const approved = (yield* DataRequests).approve(
          { id, scope: { merchantId, environment } },
          { actor: actorOf(view) }
        )
        yield* orRefused(
          actingAs(view, sent, approved, ({ request }) =>
            dataRequestDecided("data_request.approved", undefined)(request)
          )
        )
        return {}
      })
    },
    deny: {
      role: commandRoles["dataRequest.decide"],
      done: "The request is denied for the person.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { id, environment, merchantId } = yield* requestIn(view)
        const denial = denials.find(({ value }) => value === sent.form.first("denial"))
        if (denial === undefined) return yield* new FormRefused({ message: "Choose why.", field: "denial" })
        const denied = (yield* DataRequests).deny(
          { id, scope: { merchantId, environment } },
          { actor: actorOf(view), reason: denial.value }
        )
        yield* orRefused(actingAs(view, sent, denied, dataRequestDecided("data_request.denied", undefined)))
        return {}
      })
    }
  }
}

const grantIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readGrantId(view.param("grantId")))
  const scope = yield* placeOf(view, id)
  return yield* orMissing((yield* Grants).get({ id, scope }))
})

/** `consents/grants/{id}`: a grant and, while it is active, a form to revoke it on the person's behalf. */
export const consentGrantPage: ConsolePage = {
  path: "consents/grants/:grantId",
  room: "consents",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const grant = yield* grantIn(view)
    const { dataRequestId, id, merchantId, serviceId } = grant
    const names = yield* merchantNames([grant])
    const [tone, word] = grantState(grant)
    return {
      title: "Grant",
      body: html`${head({
        crumb: html`<a href="${view.href("consents/grants")}">Consents</a> /`,
        title: html`<span class="soft">Grant to</span> ${names.of(merchantId)}`,
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span><a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a> by <a href="${view.href(`people/${serviceId}`)}">${serviceId}</a></span>`,
        acts: lookAgain(view)
      })}
<div class="cols"><div class="stack">${panel(
        "Allowed",
        facts([
          ["Fields", grant.fields.join(", ")],
          ["For", isolated(grant.purpose, 300)],
          ["Once", grant.oneTime === true ? "one read" : undefined],
          ["Since", view.times.moment(grant.grantedAt)],
          ["Until", view.times.moment(grant.expiresAt)],
          ["By", isolated(grant.grantedBy.name ?? grant.grantedBy.kind.toLowerCase(), 64)],
          [
            "Request",
            dataRequestId === undefined
              ? undefined
              : html`<a href="${view.href(`consents/requests/${dataRequestId}`)}">${wholeId(dataRequestId)}</a>`
          ],
          ["Revoked", grant.revokedAt === undefined ? undefined : view.times.moment(grant.revokedAt)],
          ["Why", grant.revocationReason === undefined ? undefined : isolated(grant.revocationReason, 200)]
        ])
      )}</div><div class="stack">${
        grant.status === "ACTIVE"
          ? html`<section class="panel" aria-label="Revoke"><header><h2>Revoke for the person</h2></header><div class="pad"><p>The merchant’s next read is refused, and gets the reason.</p></div>${changeForm(view, { name: "revoke", button: "Revoke", stops: true, hint: "How the person told you." })}</section>`
          : undefined
      }</div></div>`
    }
  }),
  forms: {
    revoke: {
      role: commandRoles["grant.revoke"],
      done: "The grant is revoked.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { environment, id, merchantId, status } = yield* grantIn(view)
        if (status !== "ACTIVE") return yield* new FormRefused({ message: "The grant has ended already." })
        const revoked = (yield* Grants).revokeOnce({ id, scope: { merchantId, environment } }, { actor: actorOf(view) })
        yield* orRefused(actingAs(view, sent, revoked, grantRevoked(undefined)))
        return {}
      })
    }
  }
}

const readReason = Schema.decodeUnknownOption(AskingBlockReason)

const liftWords = (merchant: Html, person: Html, said: AskingBlockReason | undefined): Html => {
  if (said === undefined) return html`${merchant} may ask ${person}: no block is in force.`
  return said === "NOT_ME"
    ? html`${person} said “this is not me” to ${merchant}, a sign of fraud. Lift the block only if that was a mistake.`
    : html`${person} wanted ${merchant} to stop asking. It may ask again once the block is lifted.`
}

/**
 * `merchants/{merchantId}/blocks/{consumerId}`: the person's block on the merchant and, while it is in force, a form to
 * lift it.
 */
export const blockLiftPage: ConsolePage = {
  path: "merchants/:merchantId/blocks/:consumerId",
  room: "consents",
  role: "admin",
  show: Effect.fnUntraced(function* (view) {
    const merchant = yield* merchantIn(view)
    const { scope, serviceId } = yield* blockedIn(view)
    const block = yield* (yield* AskingBlocks).find(scope, serviceId)
    const said = Option.getOrUndefined(block)?.reason
    const back = view.href("consents/not-me")
    return {
      title: "Lift a block",
      body: html`${head({ crumb: html`<a href="${back}">Consents</a> /`, title: "Lift a block" })}
<section class="panel mid" aria-label="Lift"><div class="pad"><p>${liftWords(isolated(merchant.profile.name), html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`, said)}</p></div>${
        said !== undefined &&
        changeForm(view, {
          name: "lift",
          button: "Lift the block",
          fields: html`<input type="hidden" name="block" value="${said}">`,
          hint: "How the person told you that it may ask.",
          back
        })
      }</section>`
    }
  }),
  forms: {
    lift: {
      role: commandRoles["askingBlock.lift"],
      done: "The merchant may ask again.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { scope, serviceId } = yield* blockedIn(view)
        const shown = readReason(sent.form.first("block"))
        if (Option.isNone(shown)) return yield* new FormRefused({ message: "Open the block again first." })
        const lifted = Effect.catchTag(
          (yield* AskingBlocks).lift(scope, serviceId, shown.value),
          "AskingBlockNotFound",
          () => Effect.fail(new FormRefused({ message: "The block has changed. Open it again." }))
        )
        yield* orRefused(actingAs(view, sent, lifted, (reason) => askingBlockLifted(scope, serviceId, reason)))
        return { href: view.href(`merchants/${scope.merchantId}/blocks/${serviceId}`) }
      })
    }
  }
}

/**
 * Finds the merchant and person named in the url. Fails with `RecordMissing` if either is missing or the person is
 * erased.
 */
const blockedIn = Effect.fnUntraced(function* (view: PageView) {
  const merchant = yield* merchantIn(view)
  const person = yield* living(view)
  return { scope: { merchantId: merchant.id, environment: view.environment }, serviceId: person.serviceId }
})
