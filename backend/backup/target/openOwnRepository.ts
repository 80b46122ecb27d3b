import { existsSync } from 'node:fs'
import { asBackupError, BackupError } from '../BackupError.ts'
import { paths } from '../repository/layout.ts'
import {
  createRepository,
  openRepository,
  usePublicKey,
  type Repository,
} from '../repository/openRepository.ts'
import { readBackupState } from '../state.ts'
import { claimRepository, readWriter } from './writer.ts'
import { commandName } from '../../runtime/commandName.ts'

/** Who writes to a repository, and how it is created. */
export interface OwnRepositoryOptions {
  dataDir: string
  /** Whether the data are a restored copy, and nobody has confirmed yet that the original is gone. */
  isRestored: boolean
  /** Whether somebody has chosen the folder for this backup, so that it is created even if earlier backups in it are gone. */
  isChosen: boolean
  /** The configured public key, `age1…`. */
  publicKey: string | null
  /** Protects the private key of a new repository. */
  passphrase: string | null
}

/** Opens the repository of an installation to add to it, or creates it. Throws BackupError. */
export async function openOwnRepository(dir: string, o: OwnRepositoryOptions): Promise<Repository> {
  try {
    if (!existsSync(paths.info(dir))) {
      // Not created again: the folder may be where a disk is mounted at other times.
      if (!o.isChosen && readBackupState(o.dataDir).backup?.dir === dir)
        throw new BackupError(
          `The backups in ${dir} are missing. Mount their disk, or begin new backups there: ${commandName()} backup --to ${dir}`,
        )
      await createRepository(dir, { ...o, writer: (await readWriter(o.dataDir)).id })
    }
    return await usePublicKey(await claimRepository(await openRepository(dir), o), o.publicKey)
  } catch (error) {
    throw asBackupError(error, dir)
  }
}
