import type { MerchantId } from "@surety/core/Ids"
import { Merchants } from "@surety/core/merchant/Merchants"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect } from "effect"

const atOnce = 8

export const merchantNames = Effect.fnUntraced(function* (
  records: ReadonlyArray<{ readonly merchantId?: MerchantId | undefined }>
) {
  const merchants = yield* Merchants
  const ids = [...new Set(records.flatMap(({ merchantId }) => merchantId ?? []))]
  const found = yield* Effect.forEach(
    ids,
    (id) =>
      Effect.map(merchants.get(id), ({ profile }) => [id, profile.name] as const).pipe(
        Effect.catchTag("MerchantNotFound", () => Effect.succeed(undefined))
      ),
    { concurrency: atOnce }
  )
  const names = new Map<string, string>(found.flatMap((entry) => (entry === undefined ? [] : [entry])))
  return {
    /** Renders the merchant's name, cut to 40 characters, or "unknown" if the lookup did not find the merchant. */
    of: (id: MerchantId): Html => {
      const name = names.get(id)
      return name === undefined ? html`<span class="soft">unknown</span>` : isolated(name, 40)
    }
  }
})
