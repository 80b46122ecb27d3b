import type { InstallGlobals } from '../../functionSeam.ts'
import { defineAbsent } from './absentApi.ts'
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
 * Gives the global scope what a function of Supabase's runtime finds there: `Deno`, `EdgeRuntime`, `Supabase`,
 * events, and what this Node lacks. What is absent says so by name when it is used.
 */
export const installGlobals: InstallGlobals = (host) => {
  let isServing = false
  // Where Supabase's runtime looks for './page.html', by Node's functions too.
  process.chdir(host.folder)
  fillLanguageGaps()
  installEvents(globalThis)
  // Upstream gives each worker an id of its own.
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
  defineAbsent(deno, 'Deno')
  define('Deno', deno)
  const runtime = {
    waitUntil<T>(promise: T): T {
      if (promise instanceof Promise) host.waitUntil(promise)
      return promise
    },
  }
  define('EdgeRuntime', runtime)
  const supabase = { ai: {} }
  defineAbsent(supabase.ai, 'Supabase.ai', { Session: 'No models run here: ask a service by fetch.' })
  define('Supabase', supabase)
  define('navigator', navigator)
  define('self', globalThis)
  define('window', globalThis)
}
