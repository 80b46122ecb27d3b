/** In bytes; Slack's payloads are smaller. */
const maxPayloadBytes = 100_000

/** The body as text without NUL; null if it is larger than the limit, which is checked while it is read. */
export async function readPayloadText(request: Request): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxPayloadBytes) return null
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return new TextDecoder().decode(bytes).replaceAll('\0', '')
}
