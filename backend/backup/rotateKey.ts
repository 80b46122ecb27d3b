import { createKey, keyStorageOf, readKeys, writeKeys, type RepositoryKey } from './repository/keys.ts'
import { openRepository, saveInfo } from './repository/openRepository.ts'
import { BackupError } from './BackupError.ts'
import { lockRepository } from './target/lockRepository.ts'

/**
 * Creates a new key for future backups. The repository keeps the earlier keys, so existing backups stay readable.
 * @param o.passphrase the present passphrase; null where the keys are not protected
 * @param o.newPassphrase protects the keys from now on; null: they are not protected
 */
export async function rotateKey(
  dir: string,
  o: { passphrase: string | null; newPassphrase: string | null },
): Promise<RepositoryKey> {
  const lock = await lockRepository(dir, () => {})
  try {
    const repository = await openRepository(dir)
    if (keyStorageOf(dir) === 'absent')
      throw new BackupError(
        'The private key of these backups is not in their folder. Create a new pair with age-keygen, and set ' +
          'backup.public_key to the new public key.',
      )
    const keys = await readKeys(dir, o.passphrase)
    const key = await createKey()
    // The key is stored before anything is encrypted to it.
    await writeKeys(dir, [key, ...keys], o.newPassphrase)
    await saveInfo(repository, { publicKey: key.publicKey, recoverySheetAt: null })
    return key
  } finally {
    lock.release()
  }
}
