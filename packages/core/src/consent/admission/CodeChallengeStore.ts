import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"
import type { CodeChallenge, CodeDecision } from "./decideCode.js"

/** The codes that are open, one challenge for a link; and the count of what each person was sent, under a name of its own. */
export class CodeChallengeStore extends Context.Service<
  CodeChallengeStore,
  {
    /**
     * Reads the link's challenge, asks `decide`, and stores what follows. Of any number at once, in whatever processes, each
     * sees what the one before it has stored, so that no try is counted less than once. `decide` must be pure.
     */
    readonly change: <A>(
      link: ConsentTokenHash,
      decide: (current: CodeChallenge | undefined) => CodeDecision<A>
    ) => Effect.Effect<A, StoreError>

    /** Deletes at most `limit` challenges whose window ended before that moment. Answers how many there were. */
    readonly forget: (endedBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/admission/CodeChallengeStore") {}
