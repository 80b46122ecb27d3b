import type { IncomingMessage } from 'node:http'
import { Busboy } from '@fastify/busboy'
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import { errors } from '../../errors.ts'

/** A form up to its file. */
interface Form {
  /** The fields that came before the file; the first of a name counts. */
  fields: Map<string, string>
  mimetype: string
  content: AsyncIterable<Buffer>
  complete(): Promise<void>
  abandon(): void
}

/** Bytes of the largest field; a little more than the largest metadata, so that its own limit speaks. */
const maxFieldBytes = 1024 * 1024 + 1024

/**
 * Parses multipart/form-data as far as the first file. The file's bytes are taken from the connection
 * only as fast as `content` is read. Throws NoContentProvided on a form without a file, or no form at all.
 */
export async function openMultipart(incoming: IncomingMessage): Promise<Form> {
  let busboy: BusboyInstance
  try {
    busboy = new Busboy({
      headers: incoming.headers as BusboyHeaders,
      limits: { fields: 10, files: 1, parts: 12, fieldSize: maxFieldBytes, headerPairs: 50 },
    })
  } catch {
    throw errors.noContentProvided()
  }

  return new Promise<Form>((resolve, reject) => {
    const fields = new Map<string, string>()
    let file: BusboyFileStream | undefined
    let settleEnd: { resolve: () => void; reject: (error: Error) => void }
    const end = new Promise<void>((resolve, reject) => {
      settleEnd = { resolve, reject }
    })
    // Asked for only once the file was read; a failure before that reaches the reader of the file.
    end.catch(() => {})

    const fail = (): void => {
      incoming.unpipe(busboy)
      const failure = errors.noContentProvided()
      file?.destroy(failure)
      settleEnd.reject(failure)
      reject(failure)
    }
    incoming.on('error', fail)
    incoming.on('close', () => {
      if (!incoming.readableEnded) fail()
    })
    // Gone while the bucket was looked up: nothing of it is ever heard again, and the request would hang for good.
    if (incoming.destroyed) return fail()
    busboy.on('error', fail)
    busboy.on('field', (name, value) => {
      if (!fields.has(name)) fields.set(name, value)
    })
    busboy.on('file', (_name, stream, _filename, _encoding, mimetype) => {
      file = stream
      // Without a listener a broken form would bring the process down before anyone reads.
      stream.on('error', () => {})
      resolve({
        fields,
        mimetype,
        content: stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
        complete: () => end,
        abandon: () => {
          incoming.unpipe(busboy)
          stream.destroy()
        },
      })
    })
    busboy.on('finish', () => {
      settleEnd.resolve()
      reject(errors.noContentProvided())
    })
    incoming.pipe(busboy)
  })
}
