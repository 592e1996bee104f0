// Must come first: an older Node is rejected before any code uses a feature it lacks.
import "./checkNode.js"

export * from "../index.js"
