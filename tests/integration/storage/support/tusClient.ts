import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { Upload } from 'tus-js-client'
import type { UploadOptions } from 'tus-js-client'

/** `Upload-Metadata` of these pairs. */
export const encodeMetadata = (pairs: Record<string, string>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')

/** Uploads with tus-js-client; resolves with the upload's URL, rejects with the client's error. */
export function uploadWhole(content: Buffer, options: UploadOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(content as never, {
      retryDelays: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      onError: reject,
      onSuccess: () => resolve(upload.url!),
      ...options,
    })
    upload.start()
  })
}

export interface CuttingProxy {
  url: string
  cuts(): number
  close(): void
}

/**
 * Forwards connections to `target`, and closes each after as many bytes from the client as `next` returns; null keeps it
 * open.
 */
export async function startCuttingProxy(target: string, next: () => number | null): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let left = next()
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    upstream.pipe(client)
    client.on('data', (chunk) => {
      if (left === null) return void upstream.write(chunk)
      const part = chunk.subarray(0, left)
      left -= part.length
      upstream.write(part, () => {
        if (left !== 0) return
        cuts++
        left = null
        client.destroy()
      })
      if (left === 0) client.pause()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
