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
import { digestOf } from './digestOf.ts'
import { findPackage } from './findPackage.ts'
import type { UsedPackage } from './ImportLedger.ts'
import { findJsrPackage } from './jsrPackage.ts'
import { isRegularFile, readSource } from './readSource.ts'

/** Raised when the same sources give another module. */
const format = 2

interface KeptModule {
  format: number
  /** What was asked for, as JSON. */
  settings: string
  /** Digests by path, or size and time of what is not code; null for a file that was not there. */
  inputs: Record<string, string | null>
  packages: UsedPackage[]
  /** The file's name beside this record. */
  module: string
  warnings: string[]
}

/** A function as it lies on disk, ready to be imported. */
export interface ReadyModule {
  path: string
  /** All whose change may make another. */
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

/** Not its bytes: static files may be many and large, and the house would read them all before it answers. */
function stampOf(path: string): string | null {
  if (!isRegularFile(path)) return null
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

const isSameFile = ([path, mark]: [string, string | null]): boolean =>
  mark === null ? !isRegularFile(path) : mark === (mark.includes(' ') ? stampOf(path) : digestOfFile(path))

function isSamePackage({ name, from, found, isJsr }: UsedPackage): boolean {
  const now = isJsr ? findJsrPackage(name, from)?.found : findPackage(name, from)
  return now?.base === found.base && now.version === found.version
}

function ready(folder: string, { inputs, packages, module, warnings }: KeptModule): ReadyModule {
  const manifests = packages.map(({ found }) => found.manifest)
  return { path: join(folder, module), files: [...Object.keys(inputs), ...manifests], warnings }
}

/** The module kept in `folder` when all that it was made of is as it was; else null. */
export function findKeptModule(folder: string, settings: string): ReadyModule | null {
  let kept: KeptModule
  try {
    kept = JSON.parse(readFileSync(join(folder, recordName), 'utf8')) as KeptModule
  } catch {
    return null
  }
  if (kept.format !== format || kept.settings !== settings) return null
  const path = join(folder, kept.module)
  const isFresh =
    existsSync(path) && Object.entries(kept.inputs).every(isSameFile) && kept.packages.every(isSamePackage)
  return isFresh ? ready(folder, kept) : null
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** Leaves the newest few: a process that was just told of one may not have read it yet. */
function removeOld(folder: string): void {
  const modules = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => ({ name, made: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made)
  for (const { name } of modules.slice(3)) rmSync(join(folder, name), { force: true })
}

/**
 * Writes the module to `folder`, named for all that it was made of, so that whatever changed has another path.
 * @param others files beside the sources whose change makes another module
 */
export function keepModule(folder: string, settings: string, bundle: Bundle, others: string[]): ReadyModule {
  const files = [...new Set([...bundle.files, ...others])].sort()
  const code = new Set(bundle.files)
  const markOf = (file: string): string | null =>
    bundle.digests[file] ?? (code.has(file) ? digestOfFile(file) : stampOf(file))
  const inputs = Object.fromEntries(files.map((file) => [file, markOf(file)]))
  const packages = [...bundle.ledger.packages.values()]
  const name = digestOf(JSON.stringify([format, settings, inputs, packages])).slice(0, 24)
  const warnings = [...bundle.ledger.warnings]
  // What a function's source holds is for its owner's eyes, also where the folder above lets others pass.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const module = `${name}.mjs`
  write(join(folder, module), bundle.code)
  const record: KeptModule = { format, settings, inputs, packages, module, warnings }
  write(join(folder, recordName), JSON.stringify(record))
  removeOld(folder)
  return ready(folder, record)
}
