/**
 * Reads the first bytes of a body. Returns them, and a body that still contains them; the rest is read as fast as that
 * is.
 * @returns `head` as Latin-1 text: at least `length` bytes unless the body is shorter
 */
export async function splitHead(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  length: number,
): Promise<{ head: string; body: ReadableStream<Uint8Array<ArrayBuffer>> | null }> {
  if (!body) return { head: '', body }
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let head = ''
  while (head.length < length) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    // Chunk by chunk: a chunk may be larger than a call takes arguments.
    head += String.fromCharCode(...value.subarray(0, length - head.length))
  }
  return {
    head,
    body: new ReadableStream({
      pull: async (controller) => {
        const chunk = chunks.shift()
        if (chunk) return controller.enqueue(chunk)
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    }),
  }
}
