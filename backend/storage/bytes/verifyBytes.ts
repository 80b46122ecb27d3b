import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { isVersion } from './createByteStore.ts'

/** The expected content of an object, from its row. */
export interface ExpectedBytes {
  bucket: string
  name: string
  version: string | null
  /** `metadata.eTag`. */
  etag: string | null
}

/** Selects the expected content of all objects. */
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
 * Reads every object and returns those that differ from what was uploaded: a disk may change a byte, or lose the end of
 * a file, without an error. Objects with another ETag than an MD5 (multipart uploads elsewhere) can't be checked.
 * Downloads don't check this: they could not start before the last byte is read.
 * @param dir the folder of the byte store
 * @param readExpected called again for those that differ, since an object may change while others are read
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
