// Builds a part: `node bin/build.mjs app`, or `node bin/build.mjs server DIR`. It runs in a separate process, so that
// a long-running server does not keep the memory of the bundler.
import { buildApp, buildServer } from './setup.mjs'

const [part, outDir = ''] = process.argv.slice(2)
await (part === 'app' ? buildApp() : buildServer(outDir))
