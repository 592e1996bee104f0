import { bundledBuild } from "../../tsup.bundled.js"

export default bundledBuild(["src/index.ts"])
