import { hash } from "node:crypto"
import type { Pool } from "pg"
import { Refusal } from "./Refusal.ts"
import { statements } from "./statements.ts"

export interface Principal {
  readonly merchantId: string
  readonly environment: string
  readonly name: string
  readonly status: string
}

interface Row {
  readonly merchant_id: string
  readonly environment: string
  readonly revoked: boolean
  readonly name: string
  readonly status: string
}

interface Remembered {
  readonly principal: Promise<Principal | undefined>
  readonly until: number
}

const rememberedMillis = 3000
const form = /^Bearer (sk_(?:test|live)_[0-9A-Za-z]{49})$/

/** Looks up API keys by hash and caches each result for three seconds. */
export class ApiKeys {
  readonly #pool: Pool
  readonly #remembered = new Map<string, Remembered>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async authenticate(header: string | undefined): Promise<Principal> {
    if (header === undefined) throw new Refusal(401, "missing_api_key", "Send your API key as a bearer token.")
    const secret = form.exec(header)?.[1]
    const principal = secret === undefined ? undefined : await this.#find(hash("sha256", secret))
    if (principal === undefined) throw new Refusal(401, "invalid_api_key", "The API key is not valid.")
    return principal
  }

  #find(keyHash: string): Promise<Principal | undefined> {
    const now = Date.now()
    const remembered = this.#remembered.get(keyHash)
    if (remembered !== undefined && remembered.until > now) return remembered.principal
    const principal = this.#read(keyHash)
    this.#remembered.set(keyHash, { principal, until: now + rememberedMillis })
    principal.catch(() => this.#remembered.delete(keyHash))
    return principal
  }

  async #read(keyHash: string): Promise<Principal | undefined> {
    const { rows } = await this.#pool.query<Row>({ ...statements.apiKey, values: [keyHash] })
    const row = rows[0]
    return row === undefined || row.revoked
      ? undefined
      : { merchantId: row.merchant_id, environment: row.environment, name: row.name, status: row.status }
  }
}
