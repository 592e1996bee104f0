import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { MerchantId } from "@surety/core/Ids"
import { Effect, Layer, Option } from "effect"
import * as Database from "../Database.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"

/** Maximum number of merchants that the message names. */
const named = 5

/**
 * Fails with `StartFailed` if one of the merchants, given by UUID, is in a cell other than `name`. The cell `name` must
 * not store that merchant's rows again.
 */
export const requireResidents = (settings: Settings, { name }: CellSetting, merchants: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const places = yield* Effect.forEach(merchants, (uuid) => {
      const id = MerchantId.fromUuid(uuid)
      return Effect.map(
        directory.find(id),
        Option.match({ onNone: () => [], onSome: ({ cell }) => (cell === name ? [] : [`${id} (in "${cell}")`]) })
      )
    })
    const gone = places.flat()
    if (gone.length === 0) return
    const rest = gone.length > named ? ` and ${gone.length - named} more` : ""
    return yield* new StartFailed({
      message:
        `Nothing was restored: the archives have events of merchants that have left the cell "${name}": ` +
        `${gone.slice(0, named).join(", ")}${rest}. Move them back with surety cells move, restore, and move them again.`
    })
  }).pipe(Effect.provide(Layer.provide(PgCellDirectory.layer(), Database.layer(settings))))
