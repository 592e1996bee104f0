import { drawn, html } from "@surety/page-kit/Html"

/** The console's icons. Each accompanies a label. */
export const consoleIcons = {
  again: drawn(html`<path d="M19.5 12a7.5 7.5 0 1 1-2.3-5.400M20 3.500v4h-4"/>`),
  alert: drawn(html`<path d="M12 4 2.5 20h19z"/><path d="M12 10v4.500M12 17.300v.01"/>`),
  back: drawn(html`<path d="M9 7 4 12l5 5M4 12h11a5 5 0 0 1 5 5v1"/>`),
  bolt: drawn(html`<path d="M13 3 5 13.500h6L10 21l9-11h-6.500z"/>`),
  book: drawn(html`<path d="M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3z"/><path d="M9 9h6M9 13h6"/>`),
  card: drawn(html`<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18"/>`),
  check: drawn(html`<path d="m5 12.5 4.5 4.500L19 7.5"/>`),
  clock: drawn(html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5.500l3.5 2"/>`),
  down: drawn(html`<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>`),
  eye: drawn(
    html`<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="3"/>`
  ),
  flask: drawn(html`<path d="M9.5 3.500h5M10.5 3.500v6L5 19.500h14l-5.5-10v-6"/>`),
  hand: drawn(html`<path d="M4 12.5 9 17.5 20 6.5"/>`),
  home: drawn(html`<path d="M4 11 12 4l8 7v8.500h-5.500v-5h-5v5H4z"/>`),
  key: drawn(html`<circle cx="8" cy="15.5" r="4"/><path d="m11 12.5 8-8M16 7.500l3 3"/>`),
  live: drawn(html`<circle cx="12" cy="12" r="4" fill="currentColor"/><circle cx="12" cy="12" r="9"/>`),
  lock: drawn(
    html`<rect x="5" y="11" width="14" height="9.5" rx="2.2"/><path d="M8.5 11V7.500a3.5 3.5 0 0 1 7 0V11"/>`
  ),
  log: drawn(html`<path d="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01"/>`),
  menu: drawn(html`<path d="M4 7h16M4 12h16M4 17h16"/>`),
  off: drawn(html`<circle cx="12" cy="12" r="9"/><path d="M8 12h8"/>`),
  okc: drawn(html`<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.8 2.800L16 9.5"/>`),
  pen: drawn(html`<path d="M4 20h4L19.5 8.500l-4-4L4 16z"/>`),
  plug: drawn(html`<path d="M9 3v5M15 3v5M6.5 8h11v3.500a5.5 5.5 0 0 1-11 0zM12 17v4"/>`),
  right: drawn(html`<path d="m9 6 6 6-6 6"/>`),
  scale: drawn(html`<path d="M12 4v16M7 20h10M5 7h14M5 7l-2.5 6a3 3 0 0 0 5 0zM19 7l-2.5 6a3 3 0 0 0 5 0z"/>`),
  search: drawn(html`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>`),
  send: drawn(html`<path d="m4 12 16-7.500L15.5 20l-3.5-6.500z"/>`),
  shieldok: drawn(
    html`<path d="M12 3 5 5.500V11c0 4.5 3 8 7 9.5 4-1.5 7-5 7-9.500V5.500z"/><path d="m9 11.7 2.2 2.2 4-4"/>`
  ),
  shop: drawn(
    html`<path d="M4 9.500V20h16V9.500M3.5 9.5 5.5 4h13l2 5.500a2.8 2.8 0 0 1-5.6 0 2.9 2.9 0 0 1-5.8 0 2.8 2.8 0 0 1-5.6 0z"/>`
  ),
  two: drawn(
    html`<circle cx="8.5" cy="9" r="3.5"/><circle cx="16.5" cy="10" r="2.8"/><path d="M2.5 19.500a6 6 0 0 1 12 0M15 15.200a5 5 0 0 1 6.5 4.3"/>`
  ),
  user: drawn(html`<circle cx="12" cy="8" r="4"/><path d="M4.5 20.500a7.5 7.5 0 0 1 15 0"/>`),
  x: drawn(html`<path d="m6.5 6.5 11 11M17.5 6.500l-11 11"/>`),
  xc: drawn(html`<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6M15 9l-6 6"/>`)
} as const

export type IconName = keyof typeof consoleIcons
