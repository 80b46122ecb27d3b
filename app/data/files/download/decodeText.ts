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
