import type { Environment } from "@surety/core/Environment"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import type { Attention } from "@surety/core/overview/OverviewLog"
import { type Html, html } from "@surety/page-kit/Html"
import { tileOf } from "@surety/page-kit/look/Palette"
import { pageDocument } from "@surety/page-kit/screen/pageDocument"
import { isolated, plainText } from "@surety/page-kit/shownText"
import type { PageScreen, Room } from "../page/ConsolePage.js"
import { consoleIcons, type IconName } from "./icons.js"

export interface ConsoleFrame {
  /** The platform's name as plain text. */
  readonly platform: string
  readonly assets: { readonly style: string; readonly icon: string }
  /** Prepends the public url's path to a console path, such as `/console/sign-out`. */
  readonly hrefOf: (path: string) => string
}

/** Values for the header, menu and notices of an environment's page. */
export interface Surroundings {
  readonly frame: ConsoleFrame
  readonly environment: Environment
  readonly session: OperatorSession
  readonly room: Room
  readonly attention: Attention | undefined
  /** Short name of the time zone of displayed times, such as `CET` or `GMT+1`. */
  readonly zone: string
  /** The search query, shown in the search field. */
  readonly sought: string
  /** Hidden fields of the sign-out form. */
  readonly signOut: Html
  /** Success message of the form just submitted, shown above the page. */
  readonly done: string | undefined
  /** Refusal message of a form that the page no longer has, shown above the page. */
  readonly refused: string | undefined
  /** True if the last audit found faults. A warning is then shown above every page. */
  readonly broken: boolean
}

const mark = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9" fill="#fff"/><path d="M9 10h14M9 16h14M9 22h9" stroke="#0b5d4b" stroke-width="2.6" fill="none"/></svg>`

const initialsOf = (name: string): string =>
  name
    .split(/[._-]+/u)
    .map((part) => part.charAt(0))
    .join("")
    .slice(0, 2)
    .toUpperCase()

const badge = (count: number, kind: "waiting" | "in trouble"): Html | undefined =>
  count === 0
    ? undefined
    : html`<span class="n${kind === "in trouble" && html` bad`}">${count > 99 ? "99+" : count}<span class="vh"> ${kind}</span></span>`

interface RoomEntry {
  readonly room: Room
  readonly path: string
  readonly icon: IconName
  readonly name: string
  readonly badge?: (attention: Attention) => Html | undefined
}

const rooms: ReadonlyArray<{ readonly head?: string; readonly entries: ReadonlyArray<RoomEntry> }> = [
  { entries: [{ room: "overview", path: "overview", icon: "home", name: "Overview" }] },
  {
    head: "Merchants and people",
    entries: [
      {
        room: "merchants",
        path: "merchants",
        icon: "shop",
        name: "Merchants",
        badge: ({ merchantsInReview }) => badge(merchantsInReview.count, "waiting")
      },
      { room: "people", path: "people", icon: "user", name: "People" },
      {
        room: "consents",
        path: "consents/requests",
        icon: "hand",
        name: "Consents",
        badge: ({ disowned }) => badge(disowned.count, "in trouble")
      },
      {
        room: "rights",
        path: "rights",
        icon: "scale",
        name: "Rights requests",
        badge: ({ rightsRequests }) => badge(rightsRequests.count, "waiting")
      },
      {
        room: "verifications",
        path: "verifications",
        icon: "shieldok",
        name: "Verifications",
        badge: ({ verificationsStuck }) => badge(verificationsStuck.count, "in trouble")
      }
    ]
  },
  {
    head: "Money",
    entries: [
      { room: "payments", path: "payments", icon: "card", name: "Payments" },
      {
        room: "refunds",
        path: "refunds",
        icon: "back",
        name: "Refunds",
        badge: ({ refundsPending }) => badge(refundsPending.count, "in trouble")
      },
      { room: "ledger", path: "ledger", icon: "book", name: "Ledger" },
      {
        room: "approvals",
        path: "approvals",
        icon: "two",
        name: "Approvals",
        badge: ({ proposals }) => badge(proposals.count, "waiting")
      }
    ]
  },
  {
    head: "Operations",
    entries: [
      {
        room: "deliveries",
        path: "deliveries",
        icon: "send",
        name: "Deliveries",
        badge: ({ endpointsDisabled, endpointsFailing }) =>
          badge(endpointsFailing.count + endpointsDisabled.count, "in trouble")
      },
      { room: "audit", path: "audit", icon: "log", name: "Audit log" },
      { room: "settings", path: "settings", icon: "pen", name: "Settings" }
    ]
  }
]

/** Paths of the existing pages. The menu omits a room whose path is not among them. */
export type RoomPaths = ReadonlySet<string>

const sideMenu = (paths: RoomPaths, { attention, environment, frame, room: here, zone }: Surroundings): Html => {
  const entry = ({ badge: badgeOf, icon, name, path, room }: RoomEntry) =>
    html`<a href="${frame.hrefOf(`/console/${environment.toLowerCase()}/${path}`)}"${room === here && html` aria-current="page"`}>${consoleIcons[icon]}${name}${attention === undefined ? undefined : badgeOf?.(attention)}</a>`
  const groups = rooms
    .map(({ entries, head }) => ({ head, entries: entries.filter(({ path }) => paths.has(path)) }))
    .filter(({ entries }) => entries.length > 0)
  return html`<nav class="side" id="rooms" popover aria-label="Main menu">${groups.map(
    ({ entries, head }) => html`${head !== undefined && html`<h2>${head}</h2>`}${entries.map(entry)}`
  )}<p>Times are ${zone}.</p></nav>`
}

const environmentSwitch = ({ environment, frame, room }: Surroundings): Html => {
  const list = rooms.flatMap(({ entries }) => entries).find((entry) => entry.room === room)?.path ?? "overview"
  const to = (other: Environment, icon: IconName) =>
    html`<a href="${frame.hrefOf(`/console/${other.toLowerCase()}/${list}`)}"${other === environment && html` aria-current="true"`}>${consoleIcons[icon]}${other}</a>`
  return html`<nav class="env" aria-label="Environment">${to("LIVE", "live")}${to("TEST", "flask")}</nav><p class="envsay">${environment === "LIVE" ? "Real money, real people" : "Sandbox: no real money"}</p>`
}

const search = ({ environment, frame, sought }: Surroundings): Html =>
  html`<form class="find" role="search" action="${frame.hrefOf(`/console/${environment.toLowerCase()}/search`)}"><label class="vh" for="q">Find by any id, reference, e-mail or name</label>${consoleIcons.search}<input id="q" type="search" name="q" value="${sought}" maxlength="254" placeholder="Any id, reference, e-mail or name" autocomplete="off" spellcheck="false"><button class="vh">Find</button></form>`

const me = ({ frame, session: { operator, roles }, signOut }: Surroundings): Html =>
  html`<details class="me"><summary><span class="avatar s t${tileOf(operator)}" aria-hidden="true">${initialsOf(operator)}</span><span>${isolated(operator, 24)}<small>${roles.join(", ")}</small></span></summary><ul><li><a href="${frame.hrefOf("/console/sessions")}">My sessions</a></li><li><form method="post" action="${frame.hrefOf("/console/sign-out")}">${signOut}<button>Sign out</button></form></li></ul></details>`

const doneNote = (done: string): Html =>
  html`<p class="note ok" role="status">${consoleIcons.okc}<span>${done}</span></p>`

const refusedNote = (refused: string): Html =>
  html`<p class="note bad" role="alert">${consoleIcons.xc}<span>${refused}</span></p>`

const brokenNote = ({ environment, frame }: Surroundings): Html =>
  html`<p class="note bad">${consoleIcons.xc}<span><b>The books do not agree.</b> The last check found faults. <a href="${frame.hrefOf(`/console/${environment.toLowerCase()}/overview`)}">Books and proofs</a></span></p>`

/** Renders a complete page of an environment. */
export const consoleLayout = (paths: RoomPaths, around: Surroundings, { body, title }: PageScreen): string => {
  const { environment, frame } = around
  const platform = plainText(frame.platform, 40)
  return pageDocument({
    language: "en",
    direction: "ltr",
    title: `${title} - ${environment} - ${platform} console`,
    ...frame.assets,
    bodyClass: environment.toLowerCase(),
    body: html`<a class="vh skip" href="#main">Skip to the main content</a>
<header class="bar"><button class="menu" type="button" popovertarget="rooms">${consoleIcons.menu}<span class="vh">Menu</span></button><a class="brand" href="${frame.hrefOf(`/console/${environment.toLowerCase()}/overview`)}">${mark}<b>${platform}</b></a>
${environmentSwitch(around)}
${search(around)}
${me(around)}</header>
${sideMenu(paths, around)}
<main id="main" tabindex="-1">
${around.broken && brokenNote(around)}${around.done !== undefined && doneNote(around.done)}${around.refused !== undefined && refusedNote(around.refused)}
${body}
</main>`
  })
}

/** Renders a page outside the environments, such as the sign-in. */
export const soloLayout = (frame: ConsoleFrame, { body, isWide = false, title }: PageScreen): string => {
  const platform = plainText(frame.platform, 40)
  return pageDocument({
    language: "en",
    direction: "ltr",
    title: `${title} - ${platform} console`,
    ...frame.assets,
    bodyClass: isWide ? "live solo broad" : "live solo",
    body: html`<a class="vh skip" href="#main">Skip to the main content</a>
<header class="bar"><a class="brand" href="${frame.hrefOf("/console")}">${mark}<b>${platform}</b></a><p class="envsay">Operator console</p></header>
<main id="main" tabindex="-1">
${body}
</main>`
  })
}
