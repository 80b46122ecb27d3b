import type { InstallGlobals } from '../../functionTypes.ts'
import { defineUnsupported } from './unsupportedApi.ts'
import { allowPaths } from './allowedPaths.ts'
import { environment } from './environment.ts'
import { errors } from './errors.ts'
import { installEvents } from './events.ts'
import { createFiles } from './files.ts'
import { fillLanguageGaps } from './languageGaps.ts'
import { permissions } from './permissions.ts'
import { createServe } from './serve.ts'
import { denoVersion, system } from './system.ts'

const navigator = {
  userAgent: `Deno/${denoVersion} (variant; Linnet)`,
  hardwareConcurrency: 1,
  language: 'en',
  languages: ['en'],
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

/**
 * Defines the globals of Supabase's runtime: `Deno`, `EdgeRuntime`, `Supabase`, events, and language features that this
 * Node lacks. Unsupported members throw an error with their name when used.
 */
export const installGlobals: InstallGlobals = (host) => {
  let isServing = false
  // Relative paths start here in Supabase's runtime, for Node's functions too.
  process.chdir(host.folder)
  fillLanguageGaps()
  installEvents(globalThis)
  // Supabase sets a unique ID for each worker.
  process.env['SB_EXECUTION_ID'] ??= crypto.randomUUID()
  const deno = {
    ...system,
    env: environment,
    errors,
    permissions,
    ...createFiles(allowPaths(host.staticFiles), () => isServing),
    serve: createServe(host, () => {
      isServing = true
    }),
  }
  defineUnsupported(deno, 'Deno')
  define('Deno', deno)
  const runtime = {
    waitUntil<T>(promise: T): T {
      if (promise instanceof Promise) host.waitUntil(promise)
      return promise
    },
  }
  define('EdgeRuntime', runtime)
  const supabase = { ai: {} }
  defineUnsupported(supabase.ai, 'Supabase.ai', {
    Session: 'Models are not supported: call a service with fetch.',
  })
  define('Supabase', supabase)
  define('navigator', navigator)
  define('self', globalThis)
  define('window', globalThis)
}
