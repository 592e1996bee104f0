import "./checkNode.js"

export * from "../testing.js"
