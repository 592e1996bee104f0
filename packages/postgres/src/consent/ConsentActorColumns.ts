import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** The two columns of an actor. Both are null if a record has no actor. */
export const kind = ConsentActor.fields.kind
export const name = Column.nullable(Schema.String)

export const actorOf = (kind: ConsentActor["kind"], name: string | undefined): ConsentActor =>
  name === undefined ? { kind } : { kind, name }
