import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { isVersion } from './createByteStore.ts'

/** What a row says of its bytes. */
export interface ExpectedBytes {
  bucket: string
  name: string
  version: string | null
  /** `metadata.eTag`. */
  etag: string | null
}

/** Reads the claims of all rows. */
export const selectExpectedBytes = `select bucket_id as bucket, name, version, metadata ->> 'eTag' as etag from storage.objects`

/** MD5 in quotes; null where the file is missing or a disk can't read it. */
async function tagOf(path: string): Promise<string | null> {
  const hash = createHash('md5')
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
      hash.update(chunk as Buffer)
    return `"${hash.digest('hex')}"`
  } catch {
    return null
  }
}

/**
 * Reads every object's bytes and answers with those that are not what was uploaded: a disk may turn a byte, or lose the
 * end of a file, without a word. What is tagged otherwise than by an MD5 (parts put together elsewhere) can't be
 * told. Reading for somebody does not look: a download would wait for its last byte to begin.
 * @param dir the folder of the byte store
 * @param readExpected asked again of those that differ, since an object may change while others are read
 */
export async function verifyBytes(
  dir: string,
  readExpected: () => Promise<readonly ExpectedBytes[]>,
): Promise<{ read: number; damaged: ExpectedBytes[] }> {
  const expected = (await readExpected()).filter(({ etag }) => etag !== null && /^"[0-9a-f]{32}"$/.test(etag))
  const suspects = new Set<string | null>()
  for (const { version, etag } of expected) {
    const isNamed = version !== null && isVersion.test(version)
    const tag = isNamed ? await tagOf(join(dir, 'objects', version.slice(0, 2), version)) : null
    if (tag !== etag) suspects.add(version)
  }
  const secondReading = suspects.size > 0 ? await readExpected() : []
  return { read: expected.length, damaged: secondReading.filter(({ version }) => suspects.has(version)) }
}
