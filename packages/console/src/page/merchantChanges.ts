import { allowedTransitions, type Merchant, type MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { settingsChanged, statusChanged } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import type { OperatorRole } from "@surety/core/operator/Operator"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { Effect, Redacted } from "effect"
import { changeForm, choices } from "../screen/changeForm.js"
import { facts, head, note, panel, state } from "../screen/parts.js"
import { actingAs } from "./actingAs.js"
import {
  type ConsolePage,
  FormRefused,
  formRefused,
  type PageView,
  recordMissing,
  type SentChange
} from "./ConsolePage.js"
import { merchantIn } from "./merchant.js"

const changeStatus = Effect.fnUntraced(function* (view: PageView, sent: SentChange, to: MerchantStatus) {
  const merchants = yield* Merchants
  const { id } = yield* merchantIn(view)
  const change = Effect.all({
    merchant: merchants.changeStatus(id, { to, actor: view.session.operator, reason: sent.reason }),
    history: merchants.history(id)
  })
  yield* actingAs(view, sent, change, ({ history }) => history.slice(-1).map(statusChanged)[0]).pipe(
    Effect.catchTags({
      MerchantNotFound: recordMissing,
      StatusChangeNotAllowed: formRefused
    })
  )
  return { href: view.href(`merchants/${id}/${pathOf[to]}`) }
})

const pathOf: Readonly<Record<MerchantStatus, string>> = {
  ACTIVE: "activate",
  SUSPENDED: "suspend",
  CLOSED: "close",
  REJECTED: "review",
  PENDING_REVIEW: "review"
}

export const crumbOf = (view: PageView, { id, profile }: Merchant): Html =>
  html`<a href="${view.href("merchants")}">Merchants</a> / <a href="${view.href(`merchants/${id}`)}">${isolated(profile.name, 40)}</a> /`

/** Builds a page that explains the effects of a merchant's status change and lets an operator make it. */
const statusPage = (page: {
  readonly path: string
  readonly to: MerchantStatus
  readonly role: OperatorRole
  readonly title: string
  readonly button: string
  readonly stops: boolean
  /**
   * Environments that the change affects, named on the button if `stops` is set. A change of status made on a TEST page
   * also applies to LIVE.
   */
  readonly where: string
  readonly done: string
  readonly effects: ReadonlyArray<string>
}): ConsolePage => ({
  path: `merchants/:merchantId/${page.path}`,
  room: "merchants",
  role: page.role,
  show: Effect.fnUntraced(function* (view) {
    const merchant = yield* merchantIn(view)
    const back = view.href(`merchants/${merchant.id}`)
    const isAllowed = allowedTransitions(merchant.status).includes(page.to)
    return {
      title: `${page.title} ${plainText(merchant.profile.name, 40)}`,
      body: html`${head({ crumb: crumbOf(view, merchant), title: html`${page.title} ${isolated(merchant.profile.name)}` })}
<section class="panel mid" aria-label="${page.title}"><div class="pad"><ul class="stack">${page.effects.map((effect) => html`<li>${effect}</li>`)}</ul>${
        view.environment === "TEST" &&
        note("warn", "A merchant is the same in both environments: this counts in LIVE too.")
      }</div>${
        isAllowed
          ? changeForm(view, {
              name: "status",
              button: page.button,
              stops: page.stops,
              where: page.where,
              back,
              hint: "Kept with your name and shown in the merchant’s history."
            })
          : html`<div class="pad">${note("info", html`The merchant is ${merchant.status}; there is nothing to do here. <a href="${back}">Back to the merchant</a>`)}</div>`
      }</section>`
    }
  }),
  forms: {
    status: { role: page.role, done: page.done, run: (view, sent) => changeStatus(view, sent, page.to) }
  }
})

export const merchantSuspendPage = statusPage({
  path: "suspend",
  to: "SUSPENDED",
  role: commandRoles["merchant.suspend"],
  title: "Suspend",
  button: "Suspend",
  stops: true,
  where: "LIVE",
  done: "The merchant is suspended.",
  effects: [
    "Its LIVE keys stop at once: no refund, no request, no read of a person’s details.",
    "TEST still works, people can still revoke consents, and pending refunds finish.",
    "An admin can activate it again."
  ]
})

export const merchantActivatePage = statusPage({
  path: "activate",
  to: "ACTIVE",
  role: commandRoles["merchant.activate"],
  title: "Activate",
  button: "Activate",
  stops: false,
  where: "LIVE",
  done: "The merchant is active.",
  effects: ["Its LIVE keys work again, with the same scopes."]
})

export const merchantClosePage = statusPage({
  path: "close",
  to: "CLOSED",
  role: commandRoles["merchant.close"],
  title: "Close",
  button: "Close permanently",
  stops: true,
  where: "LIVE and TEST",
  done: "The merchant is closed.",
  effects: [
    "All its keys stop, in LIVE and in TEST. This is final.",
    "Refunds, consents and receipts stay, and people still see who could read their details."
  ]
})

const verdicts = [
  { value: "ACTIVE", title: "Approve", text: "It may use LIVE: ask people for their details and refund payments." },
  { value: "REJECTED", title: "Reject", text: "Only its record stays. Its TEST keys stop working." }
] as const

/**
 * `merchants/{id}/review`: the merchant's self-description and, while its review is pending, a form for the verdict.
 */
export const merchantReviewPage: ConsolePage = {
  path: "merchants/:merchantId/review",
  room: "merchants",
  role: "admin",
  show: Effect.fnUntraced(function* (view) {
    const merchant = yield* merchantIn(view)
    const { profile } = merchant
    const back = view.href(`merchants/${merchant.id}`)
    const waits = merchant.status === "PENDING_REVIEW"
    return {
      title: `Review of ${plainText(profile.name, 40)}`,
      body: html`${head({ crumb: crumbOf(view, merchant), title: "Review" })}
<div class="cols"><div class="stack">${panel(
        "Application",
        facts([
          ["Name", isolated(profile.name)],
          ["Registered name", isolated(profile.legalName)],
          [
            "Number",
            profile.registrationNumber === undefined ? "none given" : isolated(profile.registrationNumber, 60)
          ],
          ["Country", profile.country],
          ["Business type", isolated(profile.businessType, 60)],
          ["Website", profile.websiteUrl === undefined ? "none given" : isolated(profile.websiteUrl, 120)],
          ["Contact", isolated(Redacted.value(profile.contactEmail), 120)]
        ])
      )}</div><div class="stack"><section class="panel" aria-label="Decision">${
        waits
          ? changeForm(view, {
              name: "verdict",
              button: "Decide",
              fields: choices(view, "verdict", { name: "verdict", label: "Decision", options: verdicts }),
              hint: "What you checked, and where.",
              back
            })
          : html`<div class="pad">${note("info", html`The merchant is ${merchant.status}; its review is over. <a href="${back}">Back to the merchant</a>`)}</div>`
      }</section></div></div>`
    }
  }),
  forms: {
    verdict: {
      role: commandRoles["merchant.review"],
      done: "The review is complete.",
      run: (view, sent) => {
        const verdict = verdicts.find(({ value }) => value === sent.form.first("verdict"))
        return verdict === undefined
          ? Effect.fail(new FormRefused({ message: "Choose approve or reject.", field: "verdict" }))
          : Effect.as(changeStatus(view, sent, verdict.value), { href: view.hereWith({}) })
      }
    }
  }
}

const readOnOff = (value: string | undefined): boolean | undefined =>
  value === "on" || value === "off" ? value === "on" : undefined

/** `merchants/{id}/settings`: forms to turn the merchant's refunds and overdraft on or off. */
export const merchantSettingsPage: ConsolePage = {
  path: "merchants/:merchantId/settings",
  room: "merchants",
  role: "admin",
  show: Effect.fnUntraced(function* (view) {
    const merchant = yield* merchantIn(view)
    const { settings } = merchant
    const form = (name: "refunds" | "overdraft", label: string, isOn: boolean, text: string) =>
      panel(
        label,
        html`<div class="pad"><p>${text}</p><p>${isOn ? state("ok", "On") : state("off", "Off")}</p></div>${changeForm(
          view,
          {
            name,
            button: `Turn ${isOn ? "off" : "on"}`,
            fields: html`<input type="hidden" name="value" value="${isOn ? "off" : "on"}">`
          }
        )}`
      )
    return {
      title: `Settings of ${plainText(merchant.profile.name, 40)}`,
      body: html`${head({ crumb: crumbOf(view, merchant), title: "Settings" })}
<div class="cols even">${form("refunds", "Refunds", settings.refundsEnabled, "Off: every new refund of the merchant is refused, in both environments.")}${form("overdraft", "Overdraft", settings.settlementOverdraft, "On: refunds may take its settlement balance below zero.")}</div>`
    }
  }),
  forms: {
    refunds: {
      role: commandRoles["merchant.changeSettings"],
      done: "The setting is in force.",
      run: (view, sent) => changeSetting(view, sent, "refundsEnabled")
    },
    overdraft: {
      role: commandRoles["merchant.changeSettings"],
      done: "The setting is in force.",
      run: (view, sent) => changeSetting(view, sent, "settlementOverdraft")
    }
  }
}

const changeSetting = Effect.fnUntraced(function* (
  view: PageView,
  sent: SentChange,
  name: "refundsEnabled" | "settlementOverdraft"
) {
  const value = readOnOff(sent.form.first("value"))
  if (value === undefined) return yield* new FormRefused({ message: "Choose on or off.", field: "value" })
  const merchants = yield* Merchants
  const { id } = yield* merchantIn(view)
  const change = merchants.changeSettings(id, { [name]: value })
  yield* actingAs(view, sent, change, ({ after, before }) => settingsChanged(id, before.settings, after.settings)).pipe(
    Effect.catchTag("MerchantNotFound", recordMissing)
  )
  return {}
})
