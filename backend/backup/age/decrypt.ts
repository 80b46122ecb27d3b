import { Decrypter } from 'age-encryption'
import { decryptPayload } from './payload.ts'

/** A header is shorter: it has one line for the version, two for each recipient, and the line of the MAC. */
const maxHeaderBytes = 64 * 1024
const nonceBytes = 16

/** The file is not in age's format, or was changed or truncated. */
export class DamagedError extends Error {}

/** None of the keys decrypts the file. */
export class WrongKeyError extends Error {}

/** The end of the header: after the line of its MAC, `--- …`. Null if it has not been read completely. */
function findHeaderEnd(bytes: Buffer): number | null {
  const mac = bytes.indexOf('\n--- ')
  const end = mac < 0 ? -1 : bytes.indexOf('\n', mac + 1)
  return end < 0 ? null : end + 1
}

async function unwrapFileKey(identities: readonly string[], header: Buffer): Promise<Uint8Array> {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  try {
    return await decrypter.decryptHeader(header)
  } catch (error) {
    if (/no identity matched/.test((error as Error).message)) throw new WrongKeyError()
    throw new DamagedError((error as Error).message)
  }
}

/**
 * Decrypts a file of age's format in bounded memory.
 * Throws WrongKeyError, or DamagedError after the bytes that precede the damage.
 * @param identities private keys `AGE-SECRET-KEY-1…`
 */
export async function* decrypt(
  identities: readonly string[],
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let start: Buffer = Buffer.alloc(0)
  let payload: ReturnType<typeof decryptPayload> | null = null
  const attempt = (convert: () => Buffer[]): Buffer[] => {
    try {
      return convert()
    } catch (error) {
      throw new DamagedError((error as Error).message)
    }
  }
  for await (const chunk of source) {
    let bytes = chunk
    if (payload === null) {
      start = Buffer.concat([start, chunk])
      const end = findHeaderEnd(start)
      if (end === null || start.length < end + nonceBytes) {
        if (start.length > maxHeaderBytes) throw new DamagedError('there is no header')
        continue
      }
      const fileKey = await unwrapFileKey(identities, start.subarray(0, end))
      payload = decryptPayload(fileKey, start.subarray(end, end + nonceBytes))
      bytes = start.subarray(end + nonceBytes)
    }
    const cipher = payload
    yield* attempt(() => cipher.update(bytes))
  }
  if (payload === null) throw new DamagedError('the header is truncated')
  const cipher = payload
  yield* attempt(() => cipher.final())
}
