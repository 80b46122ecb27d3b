import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from './bundleFunction.ts'
import { digestOf, isRegularFile, readSource } from './readSource.ts'
import { findPackage } from './findPackage.ts'
import type { UsedPackage } from './ImportLog.ts'
import { findJsrPackage } from './jsrPackage.ts'

/** Incremented when the same sources give another module. */
const format = 2

interface CacheRecord {
  format: number
  /** Settings of the function, as JSON. */
  settings: string
  /** By path, the digest of code, or size and time of other files; null for a missing file. */
  inputs: Record<string, string | null>
  packages: UsedPackage[]
  /** Name of the module file beside this record. */
  module: string
  warnings: string[]
}

/** A module on disk, ready to be imported. */
export interface ReadyModule {
  path: string
  /** All files whose change may invalidate it. */
  files: string[]
  warnings: string[]
}

const recordName = 'module.json'

function digestOfFile(path: string): string | null {
  try {
    return digestOf(readSource(path))
  } catch {
    return null
  }
}

/** Not a digest: static files may be many and large, and all would have to be read before a request. */
function stampOf(path: string): string | null {
  if (!isRegularFile(path)) return null
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

const isSameFile = ([path, expected]: [string, string | null]): boolean =>
  expected === null
    ? !isRegularFile(path)
    : expected === (expected.includes(' ') ? stampOf(path) : digestOfFile(path))

function isSamePackage({ name, from, found, isJsr }: UsedPackage): boolean {
  const now = isJsr ? findJsrPackage(name, from)?.found : findPackage(name, from)
  return now?.base === found.base && now.version === found.version
}

function toReadyModule(folder: string, { inputs, packages, module, warnings }: CacheRecord): ReadyModule {
  const manifests = packages.map(({ found }) => found.manifest)
  return { path: join(folder, module), files: [...Object.keys(inputs), ...manifests], warnings }
}

/** The module cached in `folder` if none of its inputs has changed; else null. */
export function findCachedModule(folder: string, settings: string): ReadyModule | null {
  let record: CacheRecord
  try {
    record = JSON.parse(readFileSync(join(folder, recordName), 'utf8')) as CacheRecord
  } catch {
    return null
  }
  if (record.format !== format || record.settings !== settings) return null
  const path = join(folder, record.module)
  const isFresh =
    existsSync(path) &&
    Object.entries(record.inputs).every(isSameFile) &&
    record.packages.every(isSamePackage)
  return isFresh ? toReadyModule(folder, record) : null
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** Keeps the newest few: a process that is starting may not have read its module yet. */
function removeOld(folder: string): void {
  const modules = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => ({ name, made: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made)
  for (const { name } of modules.slice(3)) rmSync(join(folder, name), { force: true })
}

/**
 * Writes the module to `folder`, named by a digest of its inputs, so that each change gives another path.
 * @param others files besides the sources whose change invalidates the module
 */
export function cacheModule(folder: string, settings: string, bundle: Bundle, others: string[]): ReadyModule {
  const files = [...new Set([...bundle.files, ...others])].sort()
  const code = new Set(bundle.files)
  const digestOrStamp = (file: string): string | null =>
    bundle.digests[file] ?? (code.has(file) ? digestOfFile(file) : stampOf(file))
  const inputs = Object.fromEntries(files.map((file) => [file, digestOrStamp(file)]))
  const packages = [...bundle.imports.packages.values()]
  const name = digestOf(JSON.stringify([format, settings, inputs, packages])).slice(0, 24)
  const warnings = [...bundle.imports.warnings]
  // Only readable by its owner, also if the folder above is accessible to others.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const module = `${name}.mjs`
  write(join(folder, module), bundle.code)
  const record: CacheRecord = { format, settings, inputs, packages, module, warnings }
  write(join(folder, recordName), JSON.stringify(record))
  removeOld(folder)
  return toReadyModule(folder, record)
}
