import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from './ConfigError.ts'
import { isTable, type ConfigTree } from './configTree.ts'

/** Values by key ("auth.email.smtp.host"). */
export type StoredSettings = Record<string, string | number | boolean>

/** The settings that owners have changed on the page "Server". Only Linnet writes this file. */
export const settingsFile = (dataDir: string): string => join(dataDir, 'settings.json')

/** Tables with a password for another server. Their keys apply together, so that no file sends the password of another one elsewhere. */
const tableWithSecret = /^(auth\.email\.smtp|auth\.external\.[^.]+)(\.|$)/

/** The table with a password that a key belongs to; null if it belongs to none. */
export const tableWithSecretOf = (path: string): string | null => tableWithSecret.exec(path)?.[1] ?? null

/** The content of the file; null if there is none. */
export function readSettingsText(dataDir: string): string | null {
  const file = settingsFile(dataDir)
  if (!existsSync(file)) return null
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${file} can't be read: ${(error as Error).message}`)
  }
}

/** Parses the content of the file. Throws ConfigError. */
export function parseSettings(text: string | null, dataDir: string): StoredSettings {
  if (text === null) return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The message of V8 quotes the text, which may contain a password.
    throw new ConfigError(`${settingsFile(dataDir)} can't be read: it is not valid JSON.`)
  }
  const isValid =
    isTable(parsed) &&
    Object.values(parsed).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  if (!isValid)
    throw new ConfigError(`${settingsFile(dataDir)} can't be read: it must have a value for each key.`)
  return parsed as StoredSettings
}

/** Identifies the content of the file. */
export const revisionOf = (text: string | null): string =>
  createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 16)

/** The content of the file for settings. */
export const renderSettings = (settings: StoredSettings): string => `${JSON.stringify(settings, null, 2)}\n`

/** The user who owns the data directory, for a command of root. */
export function ownerOfSettings(dataDir: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(dirname(settingsFile(dataDir)))
  return { uid, gid }
}

/** The settings as a tree, as if they were in linnet.toml. */
export function settingsTree(settings: StoredSettings): ConfigTree {
  const root: ConfigTree = {}
  for (const [path, value] of Object.entries(settings)) {
    const names = path.split('.')
    let table = root
    for (const name of names.slice(0, -1)) {
      const below = Object.hasOwn(table, name) ? table[name] : undefined
      const next: ConfigTree = isTable(below) ? below : {}
      table[name] = next
      table = next
    }
    table[names.at(-1)!] = value
  }
  return root
}
