import { cleanJson } from '../../../../wire/texts.ts'

/** The text of a line, or the reason why it can't be read. */
export type Line = { text: string } | { problem: 'damaged' | 'too large' }

const NEWLINE = 0x0a
/** A thread with its replies is one line. A hostile one needs 40 times as much memory. */
const maxLineBytes = 8 * 1024 * 1024

/**
 * The lines of a file of any length, without blank ones. Bytes that are no UTF-8 become U+FFFD. A line of more than `maxBytes` does
 * not end the file. The stream's error ends it.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = maxLineBytes,
): AsyncGenerator<Line> {
  /** The bytes of the current line, while they are not too many. */
  let parts: Uint8Array[] = []
  let size = 0
  const add = (bytes: Uint8Array): void => {
    size += bytes.length
    if (size > maxBytes) parts = []
    // The buffer of a stream can be reused.
    else if (bytes.length > 0) parts.push(Uint8Array.from(bytes))
  }
  const take = (): Line => {
    const line: Line = size > maxBytes ? { problem: 'too large' } : { text: Buffer.concat(parts).toString() }
    parts = []
    size = 0
    return line
  }
  const isBlank = (line: Line): boolean => 'text' in line && line.text.trim() === ''
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const line = take()
      if (!isBlank(line)) yield line
    }
    add(chunk.subarray(start))
  }
  const last = take()
  if (!isBlank(last)) yield last
}

/** The JSON value of a line, without characters that PostgreSQL cannot store; undefined if it is damaged. */
export function parseLine(text: string): unknown {
  try {
    // A mark of the byte order can stand before the first line.
    return JSON.parse(cleanJson(text.replace(/^\uFEFF/, '')))
  } catch {
    return undefined
  }
}
