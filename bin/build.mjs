// Builds the parts it is asked for: `node bin/build.mjs server app`. A process of its own, so that a server which
// runs for weeks doesn't keep what a bundler needs for a second.
import { buildApp, buildServer } from './setup.mjs'

const parts = { app: buildApp, server: buildServer }
for (const part of process.argv.slice(2)) await parts[part]()
