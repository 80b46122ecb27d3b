import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLsn, segmentStart } from '../../postgres/connections/lsn.ts'
import { syncFolder } from '../../runtime/durableFiles.ts'
import { parseStoredFile, paths, renderWalChunk } from '../repository/layout.ts'
import { listBackups, type BackupManifest } from '../repository/manifest.ts'
import { listWal, readVersions } from '../repository/readStored.ts'
import { shards } from '../source/retainedFiles.ts'
import { selectBackups, type Retention } from './selectBackups.ts'

/** The clock that dates the files of a network folder can differ from the clock of this machine. */
const clockToleranceMs = 24 * 60 * 60 * 1000

/**
 * Removes the backups that the settings do not keep, then the ranges of the log and the files that no kept backup needs.
 * A killed removal leaves a valid repository: a backup loses its manifest first, and files go last. Nothing is removed
 * where a manifest can't be read.
 * @returns the ids of the removed backups
 */
export async function removeExpired(dir: string, retention: Retention): Promise<string[]> {
  const { backups, problems } = await listBackups(dir)
  if (problems.length > 0 || backups.length === 0) return []
  const { kept, daily } = selectBackups(backups, retention, new Date())
  const expired = backups.filter((backup) => !kept.has(backup))
  for (const { id } of expired) {
    const aside = join(paths.incoming(dir), id)
    await rm(aside, { recursive: true, force: true })
    await rename(paths.backup(dir, id), aside)
    await syncFolder(paths.backups(dir))
    await rm(aside, { recursive: true, force: true })
  }
  const oldestPoint = Math.min(...daily.map(({ startedAt }) => Date.parse(startedAt))) - clockToleranceMs
  await removeLogs(dir, daily, oldestPoint)
  await removeFiles(dir, [...kept], oldestPoint)
  return expired.map(({ id }) => id)
}

/**
 * Removes the ranges of each log that end before its oldest daily backup. Of a log without a daily backup, the ranges that were
 * written after `oldestPoint` stay: its first backup may need them.
 */
async function removeLogs(dir: string, daily: readonly BackupManifest[], oldestPoint: number): Promise<void> {
  const logs = await readdir(join(dir, 'wal')).catch(() => [])
  for (const name of logs) {
    const oldest = daily.findLast(({ log }) => log === name)
    for (const chunk of await listWal(dir, name)) {
      const isNeeded =
        oldest === undefined
          ? chunk.writtenAt > oldestPoint
          : chunk.timeline > oldest.timeline ||
            (chunk.timeline === oldest.timeline && chunk.end > segmentStart(parseLsn(oldest.startLsn)))
      if (!isNeeded)
        await rm(join(paths.timeline(dir, name, chunk.timeline), renderWalChunk(chunk)), { force: true })
    }
  }
}

/**
 * Removes the stored files that no kept backup lists. A file that was stored after `oldestPoint` stays: its object may exist at
 * a point in time between two backups. Reads the sorted lists side by side, in bounded memory.
 */
async function removeFiles(dir: string, kept: readonly BackupManifest[], oldestPoint: number): Promise<void> {
  const lists = await Promise.all(kept.map(async (backup) => openSorted(readVersions(dir, backup))))
  for (const shard of shards) {
    const folder = paths.shard(dir, shard)
    const names = (await readdir(folder).catch(() => [])).sort()
    for (const name of names) {
      const file = parseStoredFile(name)
      if (file === null) continue
      const isListed = await someOf(lists, (list) => list.has(file.version))
      if (isListed) continue
      const found = await stat(join(folder, name)).catch(() => null)
      if (found && found.mtimeMs < oldestPoint) await rm(join(folder, name), { force: true })
    }
  }
}

async function someOf<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  let result = false
  // Every list advances, also after the first match.
  for (const item of items) if (await test(item)) result = true
  return result
}

interface SortedList {
  /** Whether the list contains the text. To be called with texts in sorted order. */
  has(text: string): Promise<boolean>
}

async function openSorted(lines: AsyncGenerator<string>): Promise<SortedList> {
  let current = await lines.next()
  return {
    async has(text) {
      while (!current.done && current.value < text) current = await lines.next()
      return !current.done && current.value === text
    },
  }
}
