import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { BackupError } from '../BackupError.ts'
import { replaceFile } from '../../runtime/durableFiles.ts'
import { paths } from './layout.ts'

/** A private key, with its public key and the day it was created. */
export interface RepositoryKey {
  /** `AGE-SECRET-KEY-1…` */
  identity: string
  /** `age1…` */
  publicKey: string
  /** ISO 8601. */
  createdAt: string
}

/** How the repository stores its private keys. `absent`: only a public key is configured. */
export type KeyStorage = 'plain' | 'passphrase' | 'absent'

/** Creates a key pair. */
export async function createKey(): Promise<RepositoryKey> {
  const identity = await generateIdentity()
  return { identity, publicKey: await identityToRecipient(identity), createdAt: new Date().toISOString() }
}

/** Which of the key files exists in the repository. */
export function keyStorageOf(dir: string): KeyStorage {
  if (existsSync(paths.protectedKey(dir))) return 'passphrase'
  return existsSync(paths.plainKey(dir)) ? 'plain' : 'absent'
}

/** The text of an identity file, as age-keygen writes it. The newest key is first. */
function renderKeys(keys: readonly RepositoryKey[]): string {
  return keys
    .map(
      ({ identity, publicKey, createdAt }) =>
        `# created: ${createdAt}\n# public key: ${publicKey}\n${identity}\n`,
    )
    .join('\n')
}

/**
 * Parses an identity file of age, such as a recovery sheet or the output of age-keygen: lines that begin with
 * `AGE-SECRET-KEY-1` are keys and all other lines are comments. Throws BackupError where there is none.
 */
export async function parseKeys(text: string, source: string): Promise<RepositoryKey[]> {
  const keys: RepositoryKey[] = []
  let createdAt = ''
  for (const line of text.split('\n').map((one) => one.trim())) {
    createdAt = /^# created: (\S+)/.exec(line)?.[1] ?? createdAt
    if (!line.startsWith('AGE-SECRET-KEY-1')) continue
    try {
      keys.push({ identity: line, publicKey: await identityToRecipient(line), createdAt })
    } catch (error) {
      throw new BackupError(`${source} contains a key that is mistyped or incomplete.`, { cause: error })
    }
  }
  if (keys.length === 0)
    throw new BackupError(`${source} contains no key. A key begins with AGE-SECRET-KEY-1.`)
  return keys
}

async function readProtectedKeys(file: string, passphrase: string | null): Promise<string> {
  if (passphrase === null)
    throw new BackupError(
      `The keys of the backups are protected by a passphrase (${file}). ` +
        'Set LINNET_BACKUP_PASSPHRASE, or use --passphrase-file, or run the command in a terminal.',
    )
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return await decrypter.decrypt(await readFile(file), 'text')
  } catch (error) {
    const isWrong = /no identity matched/.test((error as Error).message)
    throw new BackupError(isWrong ? 'The passphrase of the backups is wrong.' : `${file} is damaged.`, {
      cause: error,
    })
  }
}

/**
 * The private keys of a repository, the newest first.
 * @param passphrase needed where `keyStorageOf` returns `passphrase`
 */
export async function readKeys(dir: string, passphrase: string | null): Promise<RepositoryKey[]> {
  const storage = keyStorageOf(dir)
  if (storage === 'absent')
    throw new BackupError(
      `${dir} contains no private key. Pass the file with the key of the recovery sheet (--key-file).`,
    )
  const file = storage === 'plain' ? paths.plainKey(dir) : paths.protectedKey(dir)
  const text = storage === 'plain' ? await readFile(file, 'utf8') : await readProtectedKeys(file, passphrase)
  return parseKeys(text, file)
}

/**
 * Writes the private keys, the newest first, protected where there is a passphrase.
 * @param workFactor the binary logarithm of scrypt's cost; 18 is age's default and takes about two seconds
 */
export async function writeKeys(
  dir: string,
  keys: readonly RepositoryKey[],
  passphrase: string | null,
  workFactor = 18,
): Promise<void> {
  const text = renderKeys(keys)
  if (passphrase === null) {
    await replaceFile(paths.plainKey(dir), text)
    await rm(paths.protectedKey(dir), { force: true })
    return
  }
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(workFactor)
  await replaceFile(paths.protectedKey(dir), Buffer.from(await encrypter.encrypt(text)))
  await rm(paths.plainKey(dir), { force: true })
}
