/** A page of the guides, served at `/docs` or below it. */
export interface SitePage {
  /** `refunds` is served at `/docs/refunds`. The home page's slug is empty. */
  readonly slug: string
  readonly html: string
}

/** A file that the pages load. Its name contains a hash of its content. */
export interface SiteAsset {
  readonly name: string
  readonly contentType: string
  readonly text: string
}

/** An operation's code sample in one language, as shown in the API reference. */
export interface OperationSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** The rendered guides, welcome page and code samples, stored as `site.json` in a build of `@surety/http`. */
export interface Site {
  readonly pages: ReadonlyArray<SitePage>
  /** The page at the base url. */
  readonly welcome: string
  readonly assets: ReadonlyArray<SiteAsset>
  readonly samples: Readonly<Record<string, ReadonlyArray<OperationSample>>>
}
