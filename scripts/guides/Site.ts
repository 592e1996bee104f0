/** A page served below `/docs`. */
export interface SitePage {
  /** `refunds` is served at `/docs/refunds`; the home is empty. */
  readonly slug: string
  readonly html: string
}

/** A file of the pages. Its name has the hash of its content. */
export interface SiteAsset {
  readonly name: string
  readonly contentType: string
  readonly text: string
}

/** An operation's samples, as the reference shows them. */
export interface OperationSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** Everything that the guides are made of, as `site.json` in a build of `@surety/http`. */
export interface Site {
  readonly pages: ReadonlyArray<SitePage>
  /** The page at the base address. */
  readonly welcome: string
  readonly assets: ReadonlyArray<SiteAsset>
  readonly samples: Readonly<Record<string, ReadonlyArray<OperationSample>>>
}
