import { decodeText } from './decodeText.ts'
import { readPdf } from './readPdf.ts'
import { splitPassages } from './splitPassages.ts'

export interface ClaimedFile {
  job: string
  /** In the bucket `files`. */
  path: string
  kind: 'text' | 'pdf'
}

export interface Ports {
  /** A file whose text nobody has read; null if there is none. */
  claim(): Promise<ClaimedFile | null>
  /** The first bytes of a file; null if it does not exist. */
  fetchFile(path: string, maxBytes: number): Promise<Uint8Array | null>
  /** @param isLast this call claims no more: if files wait, another one is made */
  store(job: string, passages: string[], isLast: boolean): Promise<void>
  /** The file is claimed again later. */
  fail(job: string, problem: string): Promise<void>
}

/** 100,000 characters take at most as many in any encoding. */
const maxTextBytes = 400_000
/** The whole file: the table of its contents is at the end. The database adds no job for larger ones. */
const maxPdfBytes = 20 * 1024 * 1024
/** Each takes some milliseconds of the two seconds of processor time that a call has. */
const maxFiles = 40

/**
 * Reads and stores the text of waiting files, one after another, and returns their number. A PDF is the last of a call: it
 * may take most of its processor time.
 */
export async function indexFiles(ports: Ports): Promise<number> {
  for (let count = 1; count <= maxFiles; count++) {
    const file = await ports.claim()
    if (file === null) return count - 1
    const isLast = count === maxFiles || file.kind === 'pdf'
    try {
      const bytes = await ports.fetchFile(file.path, file.kind === 'pdf' ? maxPdfBytes : maxTextBytes)
      const text = bytes === null ? null : await readText(file.kind, bytes)
      await ports.store(file.job, text === null ? [] : splitPassages(text), isLast)
    } catch (error) {
      await ports.fail(file.job, error instanceof Error ? error.message : String(error))
    }
    if (isLast) return count
  }
  return maxFiles
}

async function readText(kind: ClaimedFile['kind'], bytes: Uint8Array): Promise<string | null> {
  return kind === 'pdf' ? readPdf(bytes) : decodeText(bytes)
}
