import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '../../config/ConfigError.ts'
import type { Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { FunctionError, type LoadedFunction, type LoadFunction } from '../functionTypes.ts'
import { functionEnvironment } from './functionEnvironment.ts'
import { listFunctionSettings, readFunctionSettings, type FunctionSettings } from './functionSettings.ts'
import { serverEnvironment, type ServerInfo } from './serverEnvironment.ts'
import { findCachedModule, cacheModule, type ReadyModule } from './moduleCache.ts'
import { configFiles, createConfigReader } from './createConfigReader.ts'
import { listStaticFiles } from './staticFiles.ts'

export interface LoaderOptions {
  /** The folder that contains `functions/` and config.toml. */
  supabaseDir: string
  /** Modules are cached in `functions/` below it. */
  dataDir: string
  /**
   * Returns facts about the server. It is called at each load, because some are known only once the server listens.
   */
  server(): ServerInfo
  /** The file that is read instead of `supabase/functions/.env`. */
  envFile?: string | undefined
  /** Overrides config.toml for all functions. */
  verifyJwt?: boolean | undefined
  log: Logger
}

/** A function as lists contain it. */
export type FunctionEntry = Pick<FunctionSettings, 'name' | 'enabled' | 'verifyJwt' | 'entrypoint'>

export interface Loader {
  load: LoadFunction
  /** Returns all functions that are on disk now, by name, including disabled ones. Throws ConfigError. */
  list(): FunctionEntry[]
}

/** Returns the module of a function: the cached one if it is valid, else a new bundle. */
async function getModule(folder: string, settings: FunctionSettings, dir: string): Promise<ReadyModule> {
  const settingsText = JSON.stringify({ entrypoint: settings.entrypoint, importMap: settings.importMap })
  const statics = listStaticFiles(settings.staticFiles)
  const cached = findCachedModule(folder, `${settingsText}${statics.join('\n')}`)
  if (cached) return cached
  // Imported only here: the bundler costs memory and start time, which a server without changes should not pay.
  const { bundleFunction } = await import('./bundleFunction.ts')
  const bundle = await bundleFunction(settings, dirname(dir))
  return cacheModule(folder, `${settingsText}${statics.join('\n')}`, bundle, statics)
}

const socketNote =
  "SUPABASE_DB_URL contains PostgreSQL's socket, which npm:pg supports and npm:postgres does not: " +
  'for npm:postgres start with --db-port.'

/** Whether the function uses a database URL without a host. */
function usesSocket(module: string, env: Record<string, string>): boolean {
  return env['SUPABASE_DB_URL']!.includes('@/') && readFileSync(module, 'utf8').includes('SUPABASE_DB_URL')
}

/** Loads the functions of `supabase/functions`. It reads config.toml again at each load. */
export function createLoader(o: LoaderOptions): Loader {
  const dir = resolve(o.supabaseDir)
  const logged = new Set<string>()
  /** Logs each message once, since every load would repeat it. */
  const warn = (name: string, sentences: string[]): void => {
    for (const sentence of sentences) {
      if (logged.has(sentence)) continue
      logged.add(sentence)
      o.log.warn('functions.load_warning', { function: name, reason: sentence })
    }
  }
  const isVerified = (settings: FunctionSettings): boolean => o.verifyJwt ?? settings.verifyJwt
  const readConfig = createConfigReader(dir, o.dataDir)
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
    const baseInputs = [...configFiles(dir, o.dataDir), envFile]
    const { config, settings } = read(name, baseInputs)
    if (settings === null) throw new FunctionError('unknown', `There is no function ${name}.`, baseInputs)
    const inputs = [...baseInputs, ...settings.lookedUp]
    if (!settings.enabled)
      throw new FunctionError('disabled', `[functions.${name}] is disabled in config.toml.`, inputs)
    const notes: string[] = []
    try {
      const server = o.server()
      const env = functionEnvironment({
        config,
        envFile: { path: envFile, isRequired: o.envFile !== undefined },
        server: serverEnvironment(server),
        smtp: server.smtp,
        warn: (sentence) => notes.push(sentence),
      })
      const ready = await getModule(join(o.dataDir, 'functions', name), settings, dir)
      if (usesSocket(ready.path, env)) notes.push(socketNote)
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
