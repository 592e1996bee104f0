import { Context, type Redacted } from "effect"

/** Who may reach a group of routes: everyone, the bearer of the operator's token, or no one. */
export type RouteAccess = "open" | "token" | "off"

/** What the deployment decides of the interface. */
export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /**
     * How the outside reaches the interface, `basePath` included, without a trailing slash: in problems' `type` and in
     * OpenAPI's servers.
     */
    readonly publicUrl: string
    /** Stands before every route but `/healthz` and `/readyz`. Empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** Who may call `/merchants…`. With `off` the routes do not exist. */
    readonly provisioning: RouteAccess
    /**
     * The names, in lower case, by which open provisioning may be called, besides addresses and `localhost`; the
     * operator's token lets in by any. Absent: by every name, for hosts that guard the routes themselves.
     */
    readonly ownNames?: ReadonlyArray<string>
    /** Guards `/operator/…`. If absent, those routes do not exist, and `token` lets no one in. */
    readonly operatorToken: Redacted.Redacted<string> | undefined
    /** Whether `/docs`, `/docs/errors` and `/openapi.json` are served. */
    readonly docs: boolean
  }
>()("@surety/http/HttpSettings") {}
