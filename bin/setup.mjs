// What the commands in this directory need before they run: the dependencies, and current builds of the server and the
// application. Nothing here imports a package until `ensureDependencies` has run.
export { buildApp, buildServer, bundle, ensureApp } from './setup/build.mjs'
export { checkStart } from './setup/checkStart.mjs'
export { fail, print, root } from './setup/checkout.mjs'
export { ensureDependencies } from './setup/dependencies.mjs'
export { helpFor, isHelp } from './setup/help.mjs'
export { builtServer, ensureServer, ensureServerCode, useRelease } from './setup/releases.mjs'
export { refuseSwallowedOptions } from './setup/refuseSwallowedOptions.mjs'
export { requireNode } from './setup/requireNode.mjs'
