/**
 * Reads the body of a request. Throws what `createError` returns before more than `maxBytes` are buffered.
 * @param contentLength the header, which Node's HTTP parser enforces: the body can then be read without a stream, which
 *   costs more than everything else about a body
 */
export async function readRequestBody(
  request: Request,
  contentLength: string | undefined,
  maxBytes: number,
  createError: () => Error,
): Promise<Buffer> {
  if (contentLength !== undefined) {
    if (Number(contentLength) > maxBytes) throw createError()
    const body = Buffer.from(await request.arrayBuffer())
    if (body.length > maxBytes) throw createError()
    return body
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw createError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
