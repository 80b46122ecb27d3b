import { decodeText } from './decodeText.ts'
import { splitPassages } from './splitPassages.ts'

export interface ClaimedFile {
  job: string
  /** In the bucket `files`. */
  path: string
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
/** Each takes some milliseconds of the two seconds of processor time that a call has. */
const maxFiles = 40

/** Reads and stores the text of waiting files, one after another, and returns their number. */
export async function indexFiles(ports: Ports): Promise<number> {
  for (let count = 0; count < maxFiles; count++) {
    const file = await ports.claim()
    if (file === null) return count
    try {
      const bytes = await ports.fetchFile(file.path, maxTextBytes)
      const text = bytes === null ? null : decodeText(bytes)
      const passages = text === null ? [] : splitPassages(text)
      await ports.store(file.job, passages, count === maxFiles - 1)
    } catch (error) {
      await ports.fail(file.job, error instanceof Error ? error.message : String(error))
    }
  }
  return maxFiles
}
