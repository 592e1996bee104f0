import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** Schema of the column for an actor's kind. A record that may have no actor makes it nullable. */
export const kind = ConsentActor.fields.kind
export const name = Column.nullable(Schema.String)

export const actorOf = (kind: ConsentActor["kind"], name: string | undefined): ConsentActor =>
  name === undefined ? { kind } : { kind, name }
