import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLsn, segmentBytes, segmentName, segmentStart } from '../../postgres/connections/lsn.ts'
import { asBackupError } from '../BackupError.ts'
import type { WalChunk } from './layout.ts'
import type { BackupManifest } from './manifest.ts'
import { readWal, selectContinuous } from './readStored.ts'

/**
 * The ranges of the log that continue a base backup without a gap. Empty where there are none: the backup can then be
 * restored to its own end only.
 * @param chunks as from listWal
 */
export function selectWalOf(
  manifest: Pick<BackupManifest, 'timeline' | 'startLsn' | 'endLsn'>,
  chunks: readonly WalChunk[],
): WalChunk[] {
  const end = parseLsn(manifest.endLsn)
  for (const from of [segmentStart(parseLsn(manifest.startLsn)), segmentStart(end)]) {
    const selected = selectContinuous(chunks, manifest.timeline, from)
    if ((selected.at(-1)?.end ?? 0n) >= end && selected[0]!.start <= from) return selected
  }
  return []
}

/**
 * Writes the segments of a continuous list of ranges into a folder, for `restore_command`. The rest of the last segment
 * is zero, as in a segment that PostgreSQL has not filled yet.
 * @param chunks as from selectWalOf, which may be cut at the end
 */
export async function writeSegments(
  dir: string,
  log: string,
  chunks: readonly WalChunk[],
  identities: readonly string[],
  folder: string,
): Promise<void> {
  let at = chunks[0] === undefined ? 0n : segmentStart(chunks[0].start)
  let file: Awaited<ReturnType<typeof open>> | null = null
  const write = async (bytes: Buffer): Promise<void> => {
    for (let written = 0; written < bytes.length;) {
      const start = segmentStart(at)
      const room = Number(start + segmentBytes - at)
      const part = bytes.subarray(written, written + room)
      if (file === null) {
        file = await open(join(folder, segmentName(chunks[0]!.timeline, at)), 'w', 0o600)
        await file.truncate(Number(segmentBytes))
      }
      await file.write(part, 0, part.length, Number(at - start))
      at += BigInt(part.length)
      written += part.length
      if (at % segmentBytes !== 0n) continue
      await file.close()
      file = null
    }
  }
  try {
    for (const chunk of chunks) {
      // What an earlier range has written already is skipped.
      let skip = Number(at - chunk.start)
      for await (const bytes of readWal(dir, log, chunk, identities)) {
        const rest = bytes.subarray(Math.min(skip, bytes.length))
        skip -= bytes.length - rest.length
        await write(rest)
      }
    }
  } catch (error) {
    throw asBackupError(error, folder)
  } finally {
    await (file as Awaited<ReturnType<typeof open>> | null)?.close()
  }
}
