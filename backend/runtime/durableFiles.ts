import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Syncs a folder, so that created, renamed and removed names survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Like syncFolder, for work that is too rare to delay requests. */
export function syncFolderSync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a folder and its parents, which survive a power failure. */
export async function createFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first !== undefined) await syncFolder(dirname(first))
}

/**
 * Replaces a small file, which only its owner can read. A crash or a power failure leaves the old or the new content, and the
 * new content after the return. Several processes may replace it at the same time.
 * @param owner of the file; null: the current user
 * @param prefix of the name that the file has until it is complete
 */
export async function replaceFile(
  path: string,
  content: string | Buffer,
  owner: { uid: number; gid: number } | null = null,
  prefix = '',
): Promise<void> {
  const temporary = join(dirname(path), `${prefix}${basename(path)}.new.${randomBytes(4).toString('hex')}`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    if (owner) await file.chown(owner.uid, owner.gid)
    await file.writeFile(content)
    await file.sync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Like replaceFile, for writes that are too rare to delay requests. @param owner by default the current user */
export function replaceFileSync(path: string, content: string, owner?: { uid: number; gid: number }): void {
  const descriptor = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  if (owner) chownSync(`${path}.new`, owner.uid, owner.gid)
  renameSync(`${path}.new`, path)
  syncFolderSync(dirname(path))
}

/** Removes a file so that it does not return after a power failure. */
export function removeFileSync(path: string): void {
  rmSync(path, { force: true })
  syncFolderSync(dirname(path))
}

/** Renames a directory so that the new name lasts after a power failure. */
export function moveFolderSync(from: string, to: string): void {
  renameSync(from, to)
  syncFolderSync(dirname(from))
  if (dirname(to) !== dirname(from)) syncFolderSync(dirname(to))
}

/** The content of a JSON file; null if it is missing or incomplete. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}
