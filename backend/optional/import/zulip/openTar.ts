import { createReadStream, type ReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { Readable, pipeline as connect } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { createTemporaryFile } from '../createTemporaryFile.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportFiles, ExportLimits } from '../openExport.ts'

/** Where the bytes of a file are in the temporary file. */
interface Position {
  start: number
  size: number
}

/** Output of gzip that may have any ratio to its input. */
const minRatioBytes = 8 * 1024 * 1024
const chunkBytes = 64 * 1024

/**
 * Opens a tar file, packed by gzip or not. Its files cannot be read at any position, so they are copied to a temporary file beside
 * the tar file, or in the directory of the system if that is not writable. The temporary file has no name, so that the system
 * removes it when the process ends in any way. Links and devices are left out.
 * @param isRead whether a file is copied at once. The others are copied when the first of them is read, which a dry run never does.
 */
export async function openTar(
  path: string,
  limits: ExportLimits,
  isRead: (name: string) => boolean,
): Promise<ExportFiles> {
  const isPacked = await checkFormat(path)
  const temporary = await createTemporaryFile(dirname(path))
  const positions = new Map<string, Position>()
  const sizes = new Map<string, number>()
  let end = 0
  /** Copies the files that `isCopied` accepts. */
  const copy = (isCopied: (name: string) => boolean): Promise<void> =>
    readTar({ path, isPacked, limits }, async (name, size, bytes) => {
      if (!sizes.has(name)) {
        sizes.set(name, size)
        if (sizes.size > limits.files)
          throw new ExportError(`The export has more than ${limits.files} files.`)
      }
      if (positions.has(name) || !isCopied(name)) return false
      const start = end
      for await (const chunk of bytes) {
        await temporary.write(chunk as Buffer, 0, (chunk as Buffer).length, end)
        end += (chunk as Buffer).length
      }
      positions.set(name, { start, size })
      return true
    })
  let copying: Promise<void> | null = null
  try {
    await copy(isRead)
  } catch (error) {
    await temporary.close()
    throw error
  }
  return {
    sizes,
    async open(name) {
      if (!sizes.has(name)) throw new ExportError(`The export has no file ${name}.`)
      if (!positions.has(name)) await (copying ??= copy(() => true))
      const { start, size } = positions.get(name)!
      return Readable.from(readRange(temporary, start, start + size), { objectMode: false })
    },
    close() {
      void temporary.close()
    },
  }
}

/** A stream of the file handle would close it when it is destroyed. */
async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const { bytesRead, buffer } = await file.read(
      Buffer.allocUnsafe(Math.min(chunkBytes, end - at)),
      0,
      Math.min(chunkBytes, end - at),
      at,
    )
    if (bytesRead === 0) throw new ExportError('The temporary file ends early.')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Whether a file is packed by gzip. Throws ExportError if it is no tar file either. */
async function checkFormat(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0)
    const isPacked = buffer.readUInt16BE() === 0x1f_8b
    if (isPacked || buffer.toString('latin1', 257, 262) === 'ustar') return isPacked
    throw new ExportError(`${path} is neither a .tar.gz file nor a folder.`)
  } finally {
    await file.close()
  }
}

/** @param onFile returns whether it has read the bytes */
async function readTar(
  { path, isPacked, limits }: { path: string; isPacked: boolean; limits: ExportLimits },
  onFile: (name: string, size: number, bytes: AsyncIterable<unknown>) => Promise<boolean>,
): Promise<void> {
  const packed = createReadStream(path)
  const entries = extract()
  let sum = 0
  const reading = (async () => {
    for await (const entry of entries) {
      const name = nameOf(entry.header)
      if (name === null) {
        entry.resume()
        continue
      }
      sum += entry.header.size
      if (sum > limits.bytes) throw refused(`${name} is too large when it is unpacked`)
      if (!(await onFile(name, entry.header.size, entry))) entry.resume()
    }
  })()
  const writing = pipeline(
    Readable.from(unpacked(packed, isPacked, limits)),
    entries as unknown as NodeJS.WritableStream,
  )
  // The reader destroys the stream when it fails. Its error is the reason, and the one of the pipeline follows from it.
  const results = await Promise.allSettled([reading, writing])
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  packed.destroy()
  if (errors.length > 0)
    throw describeError(errors.find((error) => error instanceof ExportError) ?? errors[0]!)
}

/** The name of an entry without `./` at its beginning; null if it is no file. Throws ExportError for a path outside of the tar file. */
function nameOf({ name, type }: Header): string | null {
  if (isAbsolute(name) || name.split(/[/\\]/).includes('..'))
    throw refused(`the path ${name} leads out of its folder`)
  return type === 'file' || type === 'contiguous-file' ? name.replace(/^(?:\.\/)+/, '') : null
}

async function* unpacked(
  packed: ReadStream,
  isPacked: boolean,
  limits: ExportLimits,
): AsyncGenerator<Buffer> {
  // The callback makes an error of one stream end the other. The loop throws it.
  const bytes: Readable = isPacked ? connect(packed, createGunzip(), () => {}) : packed
  let size = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > minRatioBytes && size > packed.bytesRead * limits.ratio)
      throw refused('it is too large when it is unpacked')
    yield chunk
  }
}

const refused = (reason: string): ExportError => new ExportError(`The tar file is refused: ${reason}.`)

function describeError(error: Error): Error {
  if (error instanceof ExportError) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC')
    return new ExportError('The disk has no room to unpack the tar file.', { cause: error })
  if (code !== undefined && !code.startsWith('Z_')) return error
  return new ExportError(`The tar file is refused: ${error.message}.`, { cause: error })
}
