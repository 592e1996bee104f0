import type { OperatorCredential } from "@surety/core/operator/Operator"
import { Context, type Redacted } from "effect"

/** Access to a group of routes: open to everyone, only with the operator's token, or off. */
export type RouteAccess = "open" | "token" | "off"

/** The deployment's settings of the interface. */
export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /**
     * The interface's public url, `basePath` included, without a trailing slash. It is in problems' `type` and in
     * OpenAPI's servers.
     */
    readonly publicUrl: string
    /** Prefix of every route except `/healthz` and `/readyz`: empty, or `/` and segments without a trailing slash. */
    readonly basePath: string
    /** Access to `/merchants…`. With `off` the routes do not exist. */
    readonly provisioning: RouteAccess
    /**
     * The `Host` names, in lower case, that open provisioning accepts besides addresses and `localhost`. Requests with
     * the operator's token may use any. If absent, every name is accepted, for hosts that guard the routes themselves.
     */
    readonly ownNames?: ReadonlyArray<string>
    /** Guards `/operator/…`. If absent, those routes do not exist, and `token` access rejects everyone. */
    readonly operatorToken: Redacted.Redacted<string> | undefined
    /** Operators with tokens of their own, beside `operatorToken`, whose bearer is an admin. Default: none. */
    readonly operators?: ReadonlyArray<OperatorCredential>
    /** Whether `/docs` and the OpenAPI documents are served. */
    readonly docs: boolean
    /**
     * Whether a browser gets a page at the base address, if `docs` are served. Default: no, since a host has its own
     * page there.
     */
    readonly welcome?: boolean
  }
>()("@surety/http/HttpSettings") {}
