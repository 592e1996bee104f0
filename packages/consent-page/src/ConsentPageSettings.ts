import { Context } from "effect"
import { type Catalog, englishCatalog } from "./words/Catalog.js"

/**
 * The page's looks. All other colours are mixed from the platform's two, so that text is readable on each of them. A
 * colour is `#rrggbb` with a contrast of at least 3 to 1 against the page; otherwise the page does not start.
 */
export interface Theme {
  /** Buttons, ticked boxes, icons. */
  readonly accent: string
  /** The same for a device in dark mode. */
  readonly accentDark: string
  /** Of corners, such as `4px`. */
  readonly radius: string
  /** Fonts of the person's device: none is loaded. */
  readonly font: string
}

export const defaultTheme: Theme = {
  accent: "#0b5d4b",
  accentDark: "#6fd3b5",
  radius: "14px",
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
}

/** An image that is served with the page. */
export interface Logo {
  readonly contentType: "image/svg+xml" | "image/png" | "image/webp"
  readonly bytes: Uint8Array
}

/** Where people complain about the handling of their data. */
export interface Authority {
  readonly name: string
  readonly url: string
}

export const nigeriaDataProtectionCommission: Authority = {
  name: "Nigeria Data Protection Commission",
  url: "https://ndpc.gov.ng/"
}

/** The host's settings of the page. */
export class ConsentPageSettings extends Context.Service<
  ConsentPageSettings,
  {
    /** How people's browsers reach the service, base path included, without a trailing slash. */
    readonly publicUrl: string
    /** The routes' prefix. Empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** The platform that people know, in whose name the page asks. */
    readonly platform: { readonly name: string; readonly contact?: string | undefined }
    readonly logo: Logo | undefined
    /** Where "back to the platform" leads: its app or site, by http, https or a scheme of its own. */
    readonly home: string | undefined
    readonly theme: Theme
    readonly authority: Authority
    /** The offered languages; the first is the default. */
    readonly catalogs: readonly [Catalog, ...ReadonlyArray<Catalog>]
    /** The IANA time zone of the days and times shown. */
    readonly timeZone: string
  }
>()("@surety/consent-page/ConsentPageSettings") {}

/** Default settings. */
export const defaultPageSettings = {
  basePath: "",
  logo: undefined,
  home: undefined,
  theme: defaultTheme,
  authority: nigeriaDataProtectionCommission,
  catalogs: [englishCatalog],
  timeZone: "Africa/Lagos"
} satisfies Partial<ConsentPageSettings["Service"]>
