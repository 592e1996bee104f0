import { drawn, type Html, html } from "@surety/page-kit/Html"

/** The pages' icons. Each accompanies a label, so screen readers skip it. */
export const icons = {
  person: drawn(html`<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5a7.5 7.5 0 0 1 15 0"/>`),
  notMe: drawn(
    html`<circle cx="10" cy="8" r="4"/><path d="M3 20.5a7 7 0 0 1 11-5.7M16.5 16.5l4.5 4.5M21 16.5l-4.5 4.5"/>`
  ),
  mail: drawn(html`<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="m4 7.5 8 5.5 8-5.5"/>`),
  phone: drawn(html`<rect x="6.5" y="2.5" width="11" height="19" rx="2.5"/><path d="M11 18.5h2"/>`),
  globe: drawn(html`<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c5 5.3 5 12.7 0 18-5-5.3-5-12.7 0-18z"/>`),
  place: drawn(
    html`<path d="M12 21s7-6.2 7-11.5a7 7 0 0 0-14 0C5 14.8 12 21 12 21z"/><circle cx="12" cy="9.5" r="2.5"/>`
  ),
  card: drawn(html`<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="M7 15.5h4M14.5 10.5h2.5M7 10.5h3"/>`),
  identity: drawn(
    html`<rect x="3" y="5" width="18" height="14" rx="2.5"/><circle cx="8.5" cy="11" r="2"/><path d="M5.5 16a3 3 0 0 1 6 0M14.5 10h3.5M14.5 14h3.5"/>`
  ),
  field: drawn(html`<rect x="4" y="3.5" width="16" height="17" rx="2.5"/><path d="M8 8.5h8M8 12.5h8M8 16.5h5"/>`),
  shield: drawn(
    html`<path d="M12 3 5 5.5v5.5c0 4.5 3 8 7 9.5 4-1.5 7-5 7-9.5V5.5z"/><path d="m9 11.7 2.2 2.2L15.2 10"/>`
  ),
  info: drawn(html`<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.8v.01"/>`),
  eye: drawn(
    html`<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>`
  ),
  undo: drawn(html`<path d="M8.5 5 4 9.5 8.5 14"/><path d="M4 9.5h10.5a5.5 5.5 0 0 1 0 11H10"/>`, true),
  shop: drawn(
    html`<path d="M4 10v10.5h16V10M3 7l2-3.5h14L21 7c0 1.7-1.3 3-3 3s-3-1.3-3-3c0 1.7-1.3 3-3 3S9 8.7 9 7c0 1.7-1.3 3-3 3S3 8.7 3 7zM9.5 20.5V15h5v5.5"/>`
  ),
  scales: drawn(html`<path d="M12 3.5v17M7.5 20.5h9M5 7h14M5 7l-2.5 6.5h5zM19 7l-2.5 6.5h5z"/>`),
  receipt: drawn(
    html`<path d="M5.5 3v18l2.2-1.5L9.8 21l2.2-1.5 2.2 1.5 2.1-1.5 2.2 1.5V3z"/><path d="M9 8h6M9 12h6"/>`
  ),
  clock: drawn(html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5.3l3.3 2"/>`),
  lock: drawn(html`<rect x="5" y="10.5" width="14" height="10" rx="2.5"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>`),
  stop: drawn(html`<circle cx="12" cy="12" r="9"/><path d="m5.8 5.8 12.4 12.4"/>`),
  chat: drawn(html`<path d="M4 5.5h16v11H11l-4.5 4v-4H4z"/>`),
  again: drawn(html`<path d="M20 11.5a8 8 0 1 0-2.3 6.1"/><path d="M20.5 5.5v6h-6"/>`),
  print: drawn(html`<path d="M7 9V3.5h10V9M7 17.5H3.5V9h17v8.5H17"/><path d="M7 14h10v6.5H7z"/>`),
  save: drawn(html`<path d="M12 4v11M7 10.5l5 5 5-5M4.5 20h15"/>`),
  expert: drawn(html`<path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5"/>`),
  yes: drawn(html`<path d="m5 12.5 4.5 4.5L19 7.5"/>`),
  no: drawn(html`<path d="m6.5 6.5 11 11M17.5 6.5l-11 11"/>`),
  down: drawn(html`<path d="m6 9.5 6 6 6-6"/>`),
  next: drawn(html`<path d="m9.5 6 6 6-6 6"/>`, true),
  back: drawn(html`<path d="m14.5 6-6 6 6 6"/>`, true)
} as const

const ofFields: Readonly<Record<string, Html>> = {
  service_id: icons.card,
  display_name: icons.person,
  email: icons.mail,
  country: icons.place,
  phone_verified: icons.phone,
  kyc_status: icons.identity
}

/** The host's own fields share one icon. */
export const iconOf = (field: string): Html =>
  (Object.hasOwn(ofFields, field) ? ofFields[field] : undefined) ?? icons.field
