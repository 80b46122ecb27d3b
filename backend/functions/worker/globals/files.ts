import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AllowedPaths } from './allowedPaths.ts'
import { asDenoError, errors } from './errors.ts'
import { dirEntry, fileInfo } from './fileInfo.ts'
import { FsFile } from './FsFile.ts'

type Path = string | URL

interface WriteOptions {
  append?: boolean
  create?: boolean
  createNew?: boolean
  mode?: number
  signal?: AbortSignal
}

interface OpenOptions extends WriteOptions {
  read?: boolean
  write?: boolean
  truncate?: boolean
}

interface TempOptions {
  dir?: string
  prefix?: string
  suffix?: string
}

const writeFlag = ({ append, create = true, createNew }: WriteOptions): string =>
  createNew ? (append ? 'ax' : 'wx') : append ? 'a' : create ? 'w' : 'r+'

const writeSettings = (o: WriteOptions) => ({ flag: writeFlag(o), mode: o.mode ?? 0o666 })

function openFlag(o: OpenOptions): string {
  const { read = !o.write && !o.append } = o
  if (o.append) return read ? 'a+' : 'a'
  if (o.createNew) return read ? 'wx+' : 'wx'
  if (o.truncate) return read ? 'w+' : 'w'
  return o.write ? 'r+' : 'r'
}

function removeSettings(path: string, recursive: boolean): 'folder' | 'file' | 'tree' {
  if (recursive) return 'tree'
  return lstatSync(path).isDirectory() ? 'folder' : 'file'
}

const tempName = (o: TempOptions): string =>
  join(o.dir ?? tmpdir(), `${o.prefix ?? ''}${crypto.randomUUID().slice(0, 8)}${o.suffix ?? ''}`)

type Call = (...args: never[]) => unknown

type Work = Record<string, Call>

/** Wraps functions so that they throw the errors of Deno. */
function translated<T extends Work>(work: T): T {
  const wrap = (run: Call) =>
    function (...args: never[]): unknown {
      try {
        const result = run(...args)
        if (!(result instanceof Promise)) return result
        return result.catch((error: unknown) => {
          throw asDenoError(error)
        })
      } catch (error) {
        throw asDenoError(error)
      }
    }
  return Object.fromEntries(Object.entries(work).map(([name, run]) => [name, wrap(run)])) as unknown as T
}

/** The asynchronous file functions of Deno in Supabase's runtime. */
function asyncFiles({ toRead, toWrite }: AllowedPaths) {
  return translated({
    readFile: async (path: Path, o: { signal?: AbortSignal } = {}) =>
      new Uint8Array(await readFile(toRead(path), { signal: o.signal })),
    readTextFile: async (path: Path, o: { signal?: AbortSignal } = {}) =>
      readFile(toRead(path), { encoding: 'utf8', signal: o.signal }),
    writeFile: async (path: Path, data: Uint8Array | ReadableStream<Uint8Array>, o: WriteOptions = {}) =>
      writeFile(toWrite(path), data as Uint8Array, { ...writeSettings(o), signal: o.signal }),
    writeTextFile: async (path: Path, data: string | ReadableStream<string>, o: WriteOptions = {}) =>
      writeFile(toWrite(path), data as string, { ...writeSettings(o), signal: o.signal }),
    open: async (path: Path, o: OpenOptions = {}) => {
      const isRead = !o.write && !o.append && !o.create && !o.createNew && !o.truncate
      const at = isRead ? toRead(path) : toWrite(path)
      if (o.create && !o.createNew && !o.truncate) await (await open(at, 'a', o.mode)).close()
      return new FsFile(await open(at, openFlag(o), o.mode), o.append === true)
    },
    create: async (path: Path) => new FsFile(await open(toWrite(path), 'w+'), false),
    stat: async (path: Path) => fileInfo(await stat(toRead(path))),
    lstat: async (path: Path) => fileInfo(await lstat(toRead(path))),
    realPath: async (path: Path) => realpath(toRead(path)),
    mkdir: async (path: Path, o: { recursive?: boolean; mode?: number } = {}) => {
      await mkdir(toWrite(path), o)
    },
    remove: async (given: Path, { recursive = false }: { recursive?: boolean } = {}) => {
      const path = toWrite(given)
      const kind = removeSettings(path, recursive)
      return kind === 'folder' ? rmdir(path) : rm(path, { recursive: kind === 'tree' })
    },
    makeTempDir: async (o: TempOptions = {}) => mkdtemp(toWrite(join(o.dir ?? tmpdir(), o.prefix ?? ''))),
    makeTempFile: async (o: TempOptions = {}) => {
      const path = toWrite(tempName(o))
      await writeFile(path, '', { flag: 'wx', mode: 0o600 })
      return path
    },
  })
}

/** The synchronous ones. */
function syncFiles({ toRead, toWrite }: AllowedPaths) {
  return translated({
    readFileSync: (path: Path) => new Uint8Array(readFileSync(toRead(path))),
    readTextFileSync: (path: Path) => readFileSync(toRead(path), 'utf8'),
    writeFileSync: (path: Path, data: Uint8Array, o: WriteOptions = {}) =>
      writeFileSync(toWrite(path), data, writeSettings(o)),
    writeTextFileSync: (path: Path, data: string, o: WriteOptions = {}) =>
      writeFileSync(toWrite(path), data, writeSettings(o)),
    statSync: (path: Path) => fileInfo(statSync(toRead(path))),
    lstatSync: (path: Path) => fileInfo(lstatSync(toRead(path))),
    realPathSync: (path: Path) => realpathSync(toRead(path)),
    mkdirSync: (path: Path, o: { recursive?: boolean; mode?: number } = {}) => {
      mkdirSync(toWrite(path), o)
    },
    removeSync: (given: Path, { recursive = false }: { recursive?: boolean } = {}) => {
      const path = toWrite(given)
      const kind = removeSettings(path, recursive)
      return kind === 'folder' ? rmdirSync(path) : rmSync(path, { recursive: kind === 'tree' })
    },
    makeTempDirSync: (o: TempOptions = {}) => mkdtempSync(toWrite(join(o.dir ?? tmpdir(), o.prefix ?? ''))),
    makeTempFileSync: (o: TempOptions = {}) => {
      const path = toWrite(tempName(o))
      writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
      return path
    },
    readDirSync: (path: Path) => readdirSync(toRead(path), { withFileTypes: true }).map(dirEntry),
  })
}

/** Allowed at any time; other synchronous functions only during the start of a function, as on Supabase. */
const alwaysAllowed = new Set(['readFileSync', 'readTextFileSync', 'realPathSync'])

/**
 * The file functions of the `Deno` namespace.
 * @param isServing whether a request was received: most synchronous functions then throw, since they would block all
 * other requests
 */
export function createFiles(paths: AllowedPaths, isServing: () => boolean): Record<string, unknown> {
  const guarded = Object.entries(syncFiles(paths)).map(([name, run]) => [
    name,
    (...args: never[]): unknown => {
      if (isServing() && !alwaysAllowed.has(name))
        throw new errors.PermissionDenied(
          `Deno.${name} can't be called while requests are answered. Use the function without "Sync".`,
        )
      return (run as Call)(...args)
    },
  ])
  return {
    ...asyncFiles(paths),
    ...Object.fromEntries(guarded),
    FsFile,
    async *readDir(path: Path) {
      const entries = await readdir(paths.toRead(path), { withFileTypes: true }).catch((error: unknown) => {
        throw asDenoError(error)
      })
      for (const entry of entries) yield dirEntry(entry)
    },
  }
}
