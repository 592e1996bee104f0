import type { StoreError } from "@surety/core/StoreError"
import { Context, type Duration, type Effect } from "effect"

/** What keeps the cells in step. Run it now and then, in any process. */
export class CellUpkeep extends Context.Service<
  CellUpkeep,
  {
    /**
     * Ends changes of people that have been open for `openFor`, at most `limit`: processes that died have left them. Returns
     * how many it ended. One that fails, since a cell is down, stays open. A minute is long enough for those in progress.
     */
    readonly resume: (openFor: Duration.Duration, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/cells/CellUpkeep") {}
