// First: an older Node is refused before anything that it lacks is used.
import "./checkNode.js"

export * from "../index.js"
