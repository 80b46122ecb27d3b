import type { IncomingMessage } from 'node:http'
import { Busboy } from '@fastify/busboy'
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import { errors } from '../../errors.ts'

/** A form whose file has not been read yet. */
interface Form {
  /** The fields before the file; the first of each name counts. */
  fields: Map<string, string>
  mimetype: string
  content: AsyncIterable<Buffer>
  complete(): Promise<void>
  abandon(): void
}

/** Bytes of the largest field; more than the largest metadata, so that its own limit applies first. */
const maxFieldBytes = 1024 * 1024 + 1024

/**
 * Parses multipart/form-data as far as the first file. The file is read from the connection
 * only as fast as `content` is consumed. Throws NoContentProvided for a form without a file, or without a form.
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
    // Awaited only after the file was read; an earlier failure reaches the reader of the file.
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
    // Disconnected while the bucket was queried: no event follows, and the request would hang forever.
    if (incoming.destroyed) return fail()
    busboy.on('error', fail)
    busboy.on('field', (name, value) => {
      if (!fields.has(name)) fields.set(name, value)
    })
    busboy.on('file', (_name, stream, _filename, _encoding, mimetype) => {
      file = stream
      // Without a listener, an error before the file is read would crash the process.
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
