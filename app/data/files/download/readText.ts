import type { Uuid } from '../../../../wire/scalars.ts'
import { success, failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import { filePath } from '../filePath.ts'
import { readFirstBytes } from '../storageClient.ts'
import { decodeText } from './decodeText.ts'

/**
 * Reads the first `maxBytes` of a text file, for a preview. `cut`: the file is longer.
 */
export async function readText(
  channelId: Uuid,
  attachmentId: Uuid,
  maxBytes: number,
): Promise<Outcome<{ text: string; cut: boolean }>> {
  try {
    // One byte more than wanted shows whether the file is longer.
    const bytes = await readFirstBytes(filePath(channelId, attachmentId, 'file'), maxBytes + 1)
    return success({ text: decodeText(bytes.subarray(0, maxBytes)), cut: bytes.length > maxBytes })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
