/** The part of autocannon used by the comparison. The package has no types of its own. */
declare module "autocannon" {
  namespace autocannon {
    interface Request {
      readonly method: string
      readonly path: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly setupRequest?: (request: Request) => Request
    }

    interface Options {
      readonly url: string
      readonly connections: number
      readonly duration: number
      readonly requests: ReadonlyArray<Request>
    }

    interface Result {
      readonly non2xx: number
      readonly requests: { readonly average: number; readonly total: number }
    }
  }

  const autocannon: (options: autocannon.Options) => Promise<autocannon.Result>
  export = autocannon
}
