// Builds a part: `node bin/build.mjs app`, or `node bin/build.mjs server DIR`. A process of its own, so that a server which
// runs for weeks doesn't keep what a bundler needs for a second.
import { buildApp, buildServer } from './setup.mjs'

const parts = { app: buildApp, server: buildServer }
const [part, outDir] = process.argv.slice(2)
await parts[part](outDir)
