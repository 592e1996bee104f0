import type { OperatorCredential } from "@surety/core/operator/Operator"
import { Context, type Redacted } from "effect"

/** Access to a group of routes: open to everyone, only with the operator's token, or off. */
export type RouteAccess = "open" | "token" | "off"

/** Deployment settings of the interface. */
export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /**
     * The interface's public url, `basePath` included, without a trailing slash. Appears in problems' `type` and in
     * OpenAPI's `servers`.
     */
    readonly publicUrl: string
    /** Prefix of every route except `/healthz` and `/readyz`: empty, or `/` and segments, without a trailing slash. */
    readonly basePath: string
    /** Access to `/merchants…`. If `off`, the routes do not exist. */
    readonly provisioning: RouteAccess
    /**
     * `Host` names, in lower case, that open provisioning accepts in addition to addresses and `localhost`. Requests
     * with the operator's token may use any name. If absent, every name is accepted, for hosts that guard the routes
     * themselves.
     */
    readonly ownNames?: ReadonlyArray<string>
    /** Guards `/operator/…`. If absent, those routes do not exist, and `token` access rejects everyone. */
    readonly operatorToken: Redacted.Redacted<string> | undefined
    /** Operators with tokens of their own. The bearer of `operatorToken` remains an admin. Default: none. */
    readonly operators?: ReadonlyArray<OperatorCredential>
    /** Whether to serve `/docs` and the OpenAPI documents. */
    readonly docs: boolean
    /**
     * Whether a browser gets a page at the base address, if `docs` are served. Default: false, since a host has its own
     * page there.
     */
    readonly welcome?: boolean
  }
>()("@surety/http/HttpSettings") {}
