import type { RouteAccess } from "@surety/http/HttpSettings"
import type { Tracer } from "effect"
import type { HostLogger } from "./HostLogger.js"
import type { HostWallet } from "./HostWallet.js"
import type { HostStore } from "./store/HostStore.js"

/** What a host decides. Only `store` and `secretsKey` are required. */
export interface SuretyOptions<Store extends HostStore = HostStore> {
  readonly store: Store
  /**
   * 32 random bytes in base64 (`openssl rand -base64 32`), or a list of such: the first is active, the others still read.
   * It seals webhook secrets and keys the hashes of what must not be guessed. Losing it loses them.
   */
  readonly secretsKey: string | ReadonlyArray<string>
  /** How the outside reaches the interface, `basePath` included. Default: `http://localhost` and the base path. */
  readonly publicUrl?: string
  /** What stands before every route, such as `/pay`. Default: nothing. */
  readonly basePath?: string
  /** Guards `/operator/…`, at least 16 characters. Without it those routes do not exist. */
  readonly operatorToken?: string
  /** Who may call `/merchants…` over HTTP. Default: `token` where there is an operator's token, else `off`. */
  readonly provisioning?: RouteAccess
  /** Whether `/docs` and `/openapi.json` are served. Default: yes. */
  readonly docs?: boolean
  /** The host's wallet. Without it Surety's ledger holds the customers' money. */
  readonly wallet?: HostWallet
  /**
   * Which urls webhooks may be sent to. `public` (the default): https to public hosts only. `any`: also plain http and
   * this machine, for development.
   */
  readonly targets?: "public" | "any"
  /** Where log lines go. Default: nowhere. */
  readonly logger?: HostLogger
  /** Where spans go. Default: nowhere. */
  readonly tracer?: Tracer.Tracer
}
