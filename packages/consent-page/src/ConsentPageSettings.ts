import { Context } from "effect"
import { type Catalog, englishCatalog } from "./words/Catalog.js"

/** The page's looks: values of CSS custom properties. Colours must stand out against `accentText` by 4.5 to 1. */
export interface Theme {
  /** Buttons, links, the line at the top. */
  readonly accent: string
  readonly accentText: string
  /** The same two where the person's device is set to dark. */
  readonly accentDark: string
  readonly accentTextDark: string
  /** Of corners, such as `4px`. */
  readonly radius: string
  /** Fonts of the person's device: none is loaded. */
  readonly font: string
}

export const defaultTheme: Theme = {
  accent: "#0b5d4b",
  accentText: "#ffffff",
  accentDark: "#6fd3b5",
  accentTextDark: "#06231b",
  radius: "4px",
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
}

/** An image that is served along. */
export interface Logo {
  readonly contentType: "image/svg+xml" | "image/png" | "image/webp"
  readonly bytes: Uint8Array
}

/** Where people complain about how their data is dealt with. */
export interface Authority {
  readonly name: string
  readonly url: string
}

export const nigeriaDataProtectionCommission: Authority = {
  name: "Nigeria Data Protection Commission",
  url: "https://ndpc.gov.ng/"
}

/** What the host decides of the page. */
export class ConsentPageSettings extends Context.Service<
  ConsentPageSettings,
  {
    /** How people's browsers reach the service, base path included, without a trailing slash. */
    readonly publicUrl: string
    /** Stands before the routes. Empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** Who asks people to decide here: the platform that they know. */
    readonly platform: { readonly name: string; readonly contact?: string | undefined }
    readonly logo: Logo | undefined
    readonly theme: Theme
    readonly authority: Authority
    /** The languages that are offered; the first is for whoever prefers none of them. */
    readonly catalogs: readonly [Catalog, ...ReadonlyArray<Catalog>]
    /** An IANA time zone, in which days and times are told. */
    readonly timeZone: string
  }
>()("@surety/consent-page/ConsentPageSettings") {}

/** What a host need not say. */
export const defaults = {
  basePath: "",
  logo: undefined,
  theme: defaultTheme,
  authority: nigeriaDataProtectionCommission,
  catalogs: [englishCatalog],
  timeZone: "Africa/Lagos"
} satisfies Partial<ConsentPageSettings["Service"]>
