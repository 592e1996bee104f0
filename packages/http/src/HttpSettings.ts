import type { OperatorCredential } from "@surety/core/operator/Operator"
import { Context, type Redacted } from "effect"

/** Access to a group of routes: open to everyone, only with an operator's token, or off. */
export type RouteAccess = "open" | "token" | "off"

/** Deployment settings of the API. */
export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /**
     * The API's public url, `basePath` included, without a trailing slash. Appears in problems' `type`, in `Location`
     * and in the documentation.
     */
    readonly publicUrl: string
    /** Prefix of the API's routes except the health probes. Empty, or `/` and segments, without a trailing slash. */
    readonly basePath: string
    /** Access to `/merchants…`. If `off`, the routes do not exist. */
    readonly provisioning: RouteAccess
    /**
     * `Host` names, in lower case, that open provisioning accepts in addition to IP addresses and `localhost`. Requests
     * with an operator's token may use any name. If `ownNames` is absent, every name is accepted.
     */
    readonly ownNames?: ReadonlyArray<string>
    /**
     * An admin's token for `/operator/…` and for `token` access. With neither this token nor any `operators`, the
     * routes below `/operator` do not exist, and `token` access rejects everyone.
     */
    readonly operatorToken: Redacted.Redacted<string> | undefined
    /** Operators with tokens of their own. The bearer of `operatorToken` remains an admin. Default: none. */
    readonly operators?: ReadonlyArray<OperatorCredential>
    /** Whether to serve `/docs` and the OpenAPI documents. */
    readonly docs: boolean
    /** Whether browsers get the welcome page at the base url. No effect without `docs` and `Guides`. Default: false. */
    readonly welcome?: boolean
  }
>()("@surety/http/HttpSettings") {}
