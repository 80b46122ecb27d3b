import { invalid } from '../http/AuthError.ts'

/**
 * The maximum size of user metadata, in bytes of JSON. Each access token of the user contains it, and tokens
 * must fit into headers (realtime accepts 16 KiB). Anyone may sign up with another person's address, and the
 * metadata stays, so with a megabyte the owner could not sign in. Hosted Supabase has no limit.
 */
const maxMetadataBytes = 8_192

const sizeOf = (data: Record<string, unknown> | null | undefined): number =>
  Buffer.byteLength(JSON.stringify(data ?? {}))

/**
 * @param before the stored metadata; a change that makes it smaller is always accepted
 * @throws AuthError 400 validation_failed if it is too large
 */
export function checkMetadata(
  data: Record<string, unknown> | undefined,
  before: Record<string, unknown> | null = null,
): void {
  const size = sizeOf({ ...before, ...data })
  if (size <= maxMetadataBytes || (before !== null && size < sizeOf(before))) return
  throw invalid(`User metadata must not exceed ${maxMetadataBytes} bytes`)
}
