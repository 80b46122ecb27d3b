import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '../../config/ConfigError.ts'
import type { Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { FunctionError, type LoadedFunction, type LoadFunction } from '../functionSeam.ts'
import { functionEnvironment } from './functionEnvironment.ts'
import { listFunctionSettings, readFunctionSettings, type FunctionSettings } from './functionSettings.ts'
import { houseEnvironment, type House } from './houseEnvironment.ts'
import { findKeptModule, keepModule, type ReadyModule } from './keptModule.ts'
import { configFiles, readConfigAnew } from './readConfigAnew.ts'
import { listStaticFiles } from './staticFiles.ts'

export interface LoaderOptions {
  /** The folder that holds `functions/` and config.toml. */
  supabaseDir: string
  /** Modules are kept in `functions/` below it. */
  dataDir: string
  /** Asked at each load: some of it is known only once the house listens. */
  house(): House
  /** Read instead of `supabase/functions/.env`. */
  envFile?: string | undefined
  /** Given, it holds for every function, whatever config.toml says. */
  verifyJwt?: boolean | undefined
  log: Logger
}

/** A function as lists show it. */
export type FunctionEntry = Pick<FunctionSettings, 'name' | 'enabled' | 'verifyJwt' | 'entrypoint'>

export interface Loader {
  load: LoadFunction
  /** All functions as they are on disk now, by name; those that are switched off too. Throws ConfigError. */
  list(): FunctionEntry[]
}

/** The module of a function: what was kept, while it is still good, else made anew. */
async function readyModule(folder: string, settings: FunctionSettings, dir: string): Promise<ReadyModule> {
  const asked = JSON.stringify({ entrypoint: settings.entrypoint, importMap: settings.importMap })
  const statics = listStaticFiles(settings.staticFiles)
  const kept = findKeptModule(folder, `${asked}${statics.join('\n')}`)
  if (kept) return kept
  // Only now: the bundler costs memory and a start that a house with nothing new should not pay.
  const { bundleFunction } = await import('./bundleFunction.ts')
  const bundle = await bundleFunction(settings, dirname(dir))
  return keepModule(folder, `${asked}${statics.join('\n')}`, bundle, statics)
}

const socketNote =
  "SUPABASE_DB_URL leads to PostgreSQL's socket, which npm:pg knows and npm:postgres does not: " +
  'for that one start with --db-port.'

/** Whether the function reads an address of the database that has no host. */
function asksForSocket(module: string, env: Record<string, string>): boolean {
  return env['SUPABASE_DB_URL']!.includes('@/') && readFileSync(module, 'utf8').includes('SUPABASE_DB_URL')
}

/** Makes functions of `supabase/functions` ready to run. Reads config.toml anew at each load. */
export function createLoader(o: LoaderOptions): Loader {
  const dir = resolve(o.supabaseDir)
  const told = new Set<string>()
  /** Each sentence once: it would come again with every load. */
  const warn = (name: string, sentences: string[]): void => {
    for (const sentence of sentences) {
      if (told.has(sentence)) continue
      told.add(sentence)
      o.log.warn('function loading', { function: name, reason: sentence })
    }
  }
  const isVerified = (settings: FunctionSettings): boolean => o.verifyJwt ?? settings.verifyJwt
  const readConfig = readConfigAnew(dir)
  const envFile = o.envFile ?? join(dir, 'functions', '.env')

  function read(name: string, inputs: string[]): { config: Config; settings: FunctionSettings | null } {
    try {
      const config = readConfig()
      const isServed = config.at('edge_runtime.enabled', true)
      return { config, settings: isServed ? readFunctionSettings(config, name) : null }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw new FunctionError('unreadable', error.message, inputs)
    }
  }

  async function load(name: string): Promise<LoadedFunction> {
    const around = [...configFiles(dir), envFile]
    const { config, settings } = read(name, around)
    if (settings === null) throw new FunctionError('unknown', `There is no function ${name}.`, around)
    const inputs = [...around, ...settings.asked]
    if (!settings.enabled)
      throw new FunctionError('disabled', `[functions.${name}] is switched off in config.toml.`, inputs)
    const notes: string[] = []
    try {
      const env = functionEnvironment({
        config,
        envFile: { path: envFile, isAsked: o.envFile !== undefined },
        house: houseEnvironment(o.house()),
        warn: (sentence) => notes.push(sentence),
      })
      const ready = await readyModule(join(o.dataDir, 'functions', name), settings, dir)
      if (asksForSocket(ready.path, env)) notes.push(socketNote)
      warn(name, [...notes, ...ready.warnings])
      return {
        name,
        module: ready.path,
        folder: dirname(settings.entrypoint),
        inputs: [...new Set([...inputs, ...ready.files])],
        verifyJwt: isVerified(settings),
        staticFiles: settings.staticFiles,
        env,
      }
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error
      throw new FunctionError(error.kind, error.message, [...new Set([...inputs, ...error.inputs])])
    }
  }

  return {
    load,
    list: () => {
      const config = readConfig()
      if (!config.at('edge_runtime.enabled', true)) return []
      return listFunctionSettings(config).map((one) => ({
        name: one.name,
        enabled: one.enabled,
        verifyJwt: isVerified(one),
        entrypoint: one.entrypoint,
      }))
    },
  }
}
