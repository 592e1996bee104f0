import type { Controller } from "@surety/core/consent/receipt/Receipt"
import { type Html, html } from "@surety/page-kit/Html"
import { tileOf } from "@surety/page-kit/look/Palette"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { iconOf, icons } from "./icons.js"
import type { Frame } from "./Layout.js"

/**
 * Renders a merchant's tile: the first letter of its name on a colour derived from its id. Never shows the merchant's
 * own picture or colour.
 */
export const tile = (controller: Controller | undefined): Html => {
  const [letter = "?"] = plainText(controller?.name ?? "", 1)
  const ground = tileOf(controller?.merchantId ?? "")
  return html`<span class="tile t${ground}" aria-hidden="true">${letter.toUpperCase()}</span>`
}

export const shownMerchant = ({ words }: Frame, controller: Controller | undefined): Html =>
  controller === undefined ? words.text("manage.unknownMerchant") : isolated(controller.name)

export const fold = (icon: Html, title: Html, body: Html): Html =>
  html`<details class="fold"><summary>${icon}<span>${title}</span>${icons.down}</summary>${body}</details>`

export const line = (icon: Html, text: Html, className?: string): Html =>
  html`<p class="line${className !== undefined && html` ${className}`}">${icon}<span>${text}</span></p>`

export const linkRow = (icon: Html, href: string, title: Html, more?: Html): Html =>
  html`<a class="row" href="${href}">${icon}<span><b>${title}</b>${more !== undefined && html`<small>${more}</small>`}</span>${icons.next}</a>`

export const chips = ({ words }: Frame, fields: ReadonlyArray<string>): Html =>
  html`<ul class="chips">${fields.map((field) => html`<li>${iconOf(field)}${words.field(field)}</li>`)}</ul>`

export const fact = (term: Html, description: Html | undefined): Html | undefined =>
  description === undefined ? undefined : html`<div><dt>${term}</dt><dd>${description}</dd></div>`

export const wayUp = (href: string, title: Html): Html => html`<a class="back" href="${href}">${icons.back}${title}</a>`

const isMail = (contact: string): boolean => /^[^@\s]+@[^@\s]+\.[^@\s]+$/u.test(contact)
const isPhone = (contact: string): boolean => /^\+?[\d\s()-]{6,20}$/u.test(contact)

/** Renders the platform's contact, as a link if it is a phone number or an email address. */
export const contactLink = (contact: string): Html => {
  const shown = isolated(contact, 120)
  if (isMail(contact))
    return html`<a class="go" href="mailto:${encodeURIComponent(contact).replace("%40", "@")}">${icons.mail}${shown}</a>`
  if (isPhone(contact))
    return html`<a class="go" href="tel:${contact.replace(/[^\d+]/gu, "")}">${icons.phone}${shown}</a>`
  return html`<b>${shown}</b>`
}
