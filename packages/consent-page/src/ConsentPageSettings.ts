import { Context } from "effect"
import { type Catalog, englishCatalog } from "./words/Catalog.js"

/**
 * The page's appearance. An accent is `#rrggbb` or `#rgb`. All other colours are fixed or derived from the two accents.
 * Each accent needs a contrast of at least 3:1 with its mode's card background, or the page does not start.
 */
export interface Theme {
  /** Accent colour in light mode, used for example on buttons and ticked boxes. */
  readonly accent: string
  /** Accent colour in dark mode, used for example on buttons and ticked boxes. */
  readonly accentDark: string
  /** Corner radius, such as `4px`. */
  readonly radius: string
  /** Font family from the person's device. No font is downloaded. */
  readonly font: string
}

export const defaultTheme: Theme = {
  accent: "#0b5d4b",
  accentDark: "#6fd3b5",
  radius: "14px",
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
}

/** The platform's logo, served with the page. Browsers also show it as the page's icon. */
export interface Logo {
  readonly contentType: "image/svg+xml" | "image/png" | "image/webp"
  readonly bytes: Uint8Array
}

/** The authority to which people can complain about the handling of their data. */
export interface Authority {
  readonly name: string
  readonly url: string
}

export const nigeriaDataProtectionCommission: Authority = {
  name: "Nigeria Data Protection Commission",
  url: "https://ndpc.gov.ng/"
}

/** Settings of the consent page. `defaultPageSettings` has the defaults. */
export class ConsentPageSettings extends Context.Service<
  ConsentPageSettings,
  {
    /** Public url of the service for browsers, including the base path but no trailing slash. */
    readonly publicUrl: string
    /** Path prefix of the routes: empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** The platform: the name that people know, and its contact for questions. */
    readonly platform: { readonly name: string; readonly contact?: string | undefined }
    readonly logo: Logo | undefined
    /**
     * Target of the page's link back to the platform's app or site. Its scheme is http, https or a custom one. If
     * undefined, the page has no such link.
     */
    readonly home: string | undefined
    readonly theme: Theme
    readonly authority: Authority
    /** Languages on offer. The first is the default. */
    readonly catalogs: readonly [Catalog, ...ReadonlyArray<Catalog>]
    /** IANA time zone for displayed dates and times. */
    readonly timeZone: string
  }
>()("@surety/consent-page/ConsentPageSettings") {}

/** Defaults of all settings but `publicUrl` and `platform`. */
export const defaultPageSettings = {
  basePath: "",
  logo: undefined,
  home: undefined,
  theme: defaultTheme,
  authority: nigeriaDataProtectionCommission,
  catalogs: [englishCatalog],
  timeZone: "Africa/Lagos"
} satisfies Partial<ConsentPageSettings["Service"]>
