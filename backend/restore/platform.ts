import { BackupError } from '../backup/BackupError.ts'
import type { BackupManifest } from '../backup/repository/manifest.ts'

/** What this Linnet can restore. */
export interface Platform {
  /** Such as "linux-x64". */
  platform: string
  postgresMajor: number
  /** The version of Linnet. */
  linnet: string
}

const numbersOf = (version: string): number[] => version.split(/[.+-]/, 3).map((part) => Number(part) || 0)

function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(than), numbersOf(version)]
  const at = ours.findIndex((part, index) => part !== theirs[index])
  return at >= 0 && (theirs[at] ?? 0) > ours[at]!
}

/** Throws BackupError where this machine or this version can't restore the backup. */
export function requirePlatform(
  manifest: Pick<BackupManifest, 'id' | 'platform' | 'postgres' | 'linnet'>,
  here: Platform,
): void {
  if (manifest.platform !== here.platform)
    throw new BackupError(
      `The backup ${manifest.id} was made on ${manifest.platform}, and PostgreSQL's files fit that platform only. ` +
        `This machine is ${here.platform}. Restore it on a machine of the same platform.`,
    )
  const major = Number.parseInt(manifest.postgres, 10)
  if (major !== here.postgresMajor)
    throw new BackupError(
      `The backup ${manifest.id} contains data of PostgreSQL ${major}, and this Linnet includes PostgreSQL ` +
        `${here.postgresMajor}. Restore it with Linnet ${manifest.linnet}, and upgrade afterwards.`,
    )
  if (isNewer(manifest.linnet, here.linnet))
    throw new BackupError(
      `The backup ${manifest.id} was made by Linnet ${manifest.linnet}, which is newer than this Linnet (${here.linnet}). ` +
        `Install Linnet ${manifest.linnet} first.`,
    )
}
