import type { Uuid } from '../../../../wire/scalars.ts'
import { success, failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import { filePath } from '../filePath.ts'
import { readFirstBytes } from '../storageClient.ts'

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

/**
 * Decodes text: by its byte order mark, else as UTF-8, else as Windows-1252. An incomplete character at the end is left
 * out.
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding = markedEncoding(bytes)
  if (encoding) return new TextDecoder(encoding).decode(bytes, { stream: true })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function markedEncoding([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}
