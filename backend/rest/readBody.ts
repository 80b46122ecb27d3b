import { errors } from './errors.ts'

/**
 * Reads a request's body up to `limit` bytes; `length` is its Content-Length, if any, which Node enforces. Throws 413
 * before more is buffered.
 */
export async function readBody(request: Request, length: string | undefined, limit: number): Promise<Buffer> {
  if (length !== undefined) {
    if (Number(length) > limit) throw errors.bodyTooLarge(limit)
    return Buffer.from(await request.arrayBuffer())
  }
  if (!request.body) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limit) throw errors.bodyTooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
