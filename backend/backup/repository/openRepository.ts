import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { DataLock } from '../../postgres/server/dataLock.ts'
import { asBackupError, BackupError } from '../BackupError.ts'
import { decodePublicKey } from '../age/publicKey.ts'
import { createFolder, replaceFile } from '../../runtime/durableFiles.ts'
import { lockRepository } from '../target/lockRepository.ts'
import { createKey, writeKeys } from './keys.ts'
import { paths, repositoryFormat } from './layout.ts'

/** For the creation by another process. */
const lockTimeoutMs = 10_000
const lockIntervalMs = 50

/** `repository.json`. */
export interface RepositoryInfo {
  format: number
  id: string
  /** ISO 8601. */
  createdAt: string
  /** New backups are encrypted to this key, `age1…`. */
  publicKey: string
  /** `id` of the Writer that adds backups. */
  writer: string
  /** When the recovery sheet of this key was printed; null: never. */
  recoverySheetAt: string | null
}

/** A folder with the backups of one installation. */
export interface Repository {
  /** Absolute. */
  dir: string
  info: RepositoryInfo
}

/** The repositories directly in a folder, such as `backups`, in which each installation has its own. */
async function listRepositories(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => [])
  return names.map((name) => join(dir, name)).filter((inside) => existsSync(paths.info(inside)))
}

/** Opens an existing repository. Throws BackupError where there is none, or its format is newer. */
export async function openRepository(dir: string): Promise<Repository> {
  const file = paths.info(dir)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asBackupError(error, file)
    const inside = await listRepositories(dir)
    const hint = inside.length === 0 ? '' : ` Use one of these folders in it: ${inside.join(', ')}`
    throw new BackupError(`There are no backups of Linnet in ${dir}.${hint}`, { cause: error })
  }
  let info: RepositoryInfo
  try {
    info = JSON.parse(text) as RepositoryInfo
  } catch (error) {
    throw new BackupError(
      `${file} is damaged. Copy it from another copy of the backups, or choose another folder.`,
      { cause: error },
    )
  }
  if (info.format > repositoryFormat)
    throw new BackupError(
      `The backups in ${dir} have a newer format (${info.format}) than this version of Linnet knows ` +
        `(${repositoryFormat}). Use the newer version.`,
    )
  if (decodePublicKey(info.publicKey ?? '') === null)
    throw new BackupError(`${file} is damaged: its public key is invalid.`)
  return { dir, info }
}

/** Throws BackupError where the configured public key is invalid. */
function requirePublicKey(publicKey: string | null): void {
  if (publicKey !== null && decodePublicKey(publicKey) === null)
    throw new BackupError(
      'The setting backup.public_key is not a public key of age. It must begin with age1.',
    )
}

/** Encrypts new backups to the configured public key. */
export async function usePublicKey(repository: Repository, publicKey: string | null): Promise<Repository> {
  requirePublicKey(publicKey)
  if (publicKey === null || publicKey === repository.info.publicKey) return repository
  return saveInfo(repository, { publicKey, recoverySheetAt: null })
}

/**
 * Creates a repository in a folder that is missing or empty, unless another process creates it meanwhile. Throws BackupError.
 * @param o.writer `id` of the Writer that adds backups
 * @param o.publicKey the configured public key. No private key is created for it.
 * @param o.passphrase protects the private key
 */
export async function createRepository(
  dir: string,
  { writer, publicKey, passphrase }: { writer: string; publicKey: string | null; passphrase: string | null },
): Promise<void> {
  requirePublicKey(publicKey)
  await createFolder(dir)
  // An interrupted creation may have left the key.
  const foreign = (await readdir(dir)).filter(
    (name) => !/^(key\.(txt|age)|repository\.json)(\.new.*)?$|^f?lock/.test(name),
  )
  if (foreign.length > 0)
    throw new BackupError(
      `${dir} is not empty and contains no backups of Linnet. Choose another folder for the backups.`,
    )
  const lock = await lockNewRepository(dir)
  try {
    if (existsSync(paths.info(dir))) return
    const key = publicKey === null ? await createKey() : null
    // The key is written first: a repository without its key would be encrypted for nobody.
    if (key) await writeKeys(dir, [key], passphrase)
    const info: RepositoryInfo = {
      format: repositoryFormat,
      id: randomUUID(),
      createdAt: new Date().toISOString(),
      publicKey: publicKey ?? key!.publicKey,
      writer,
      recoverySheetAt: null,
    }
    await replaceFile(paths.info(dir), `${JSON.stringify(info, null, 2)}\n`)
  } finally {
    lock.release()
  }
}

/** The server and a backup may create a repository at the same time, with different keys. Waits for the other one. */
async function lockNewRepository(dir: string): Promise<DataLock> {
  for (let waitedMs = 0; ; waitedMs += lockIntervalMs) {
    try {
      return await lockRepository(dir, () => {})
    } catch (error) {
      const isLocked = error instanceof BackupError
      if (!isLocked || waitedMs >= lockTimeoutMs) throw error
    }
    await setTimeout(lockIntervalMs)
  }
}

/** Changes `repository.json`, which another process may have changed meanwhile. */
export async function saveInfo(
  repository: Repository,
  change: Partial<Pick<RepositoryInfo, 'publicKey' | 'writer' | 'recoverySheetAt'>>,
): Promise<Repository> {
  const info = { ...(await openRepository(repository.dir)).info, ...change }
  await replaceFile(paths.info(repository.dir), `${JSON.stringify(info, null, 2)}\n`)
  return { ...repository, info }
}
