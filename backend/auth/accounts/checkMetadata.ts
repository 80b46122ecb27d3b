import { AuthError } from '../http/AuthError.ts'

/**
 * What a person may say of themselves, in bytes of JSON. It stands in each of their access tokens, which headers must
 * hold (realtime reads tokens of 16 KiB at most): and as anyone may sign up for an address and what they say stays,
 * a stranger's megabyte would keep its owner out. Hosted has no limit.
 */
const most = 8_192

const sizeOf = (data: Record<string, unknown> | null | undefined): number =>
  Buffer.byteLength(JSON.stringify(data ?? {}))

/**
 * @param before what is stored already: what makes it smaller is always taken
 * @throws AuthError 400 validation_failed where it is too much
 */
export function checkMetadata(
  data: Record<string, unknown> | undefined,
  before: Record<string, unknown> | null = null,
): void {
  const size = sizeOf({ ...before, ...data })
  if (size <= most || (before !== null && size < sizeOf(before))) return
  throw new AuthError(400, 'validation_failed', `User metadata must not exceed ${most} bytes`)
}
