import { encodeMetadata } from '../contract/storage/support/tusClient.ts'
import type { Address } from '../support/people.ts'
import { askStorage, refusalOf } from './askStorage.ts'
import { contentOf } from './fileClaims.ts'
import type { FileClaim } from './fileClaims.ts'

/** In bytes: small enough that several kills come between the first piece and the last. */
const pieceSize = 250_000

/** One upload in pieces (TUS). */
export interface PieceSender {
  claim: FileClaim
  /** Begins the upload, later sends the next piece; false where nobody answered. */
  send(server: Address): Promise<boolean>
  /** Asks where to go on; false where nobody answered. */
  askWhere(server: Address): Promise<boolean>
  /** Where less was there than had been acknowledged, in sentences. */
  faults: string[]
  /** Whether it was asked where to go on after some pieces had been acknowledged. */
  isResumed(): boolean
}

/** Uploads the first version of a file, no byte of it again that was acknowledged. */
export function createPieceSender(bucket: string, claim: FileClaim): PieceSender {
  const content = contentOf(claim, 1)
  const faults: string[] = []
  let path: string | null = null
  let acknowledged = 0
  let isResumed = false

  const tus = (server: Address, to: string, init: RequestInit): Promise<Response | null> =>
    askStorage(server, to, { ...init, headers: { ...init.headers, 'tus-resumable': '1.0.0' } })

  const standAt = (offset: number): void => {
    acknowledged = offset
    if (offset === content.length) claim.acknowledged = 1
  }

  const begin = async (server: Address): Promise<boolean> => {
    const metadata = encodeMetadata({ bucketName: bucket, objectName: claim.name })
    const begun = await tus(server, 'upload/resumable', {
      method: 'POST',
      headers: { 'upload-length': String(content.length), 'upload-metadata': metadata },
    })
    if (begun === null) return false
    if (begun.status !== 201) throw await refusalOf(begun)
    path = new URL(begun.headers.get('location')!, server.url).pathname.slice('/storage/v1/'.length)
    return true
  }

  return {
    claim,
    faults,
    isResumed: () => isResumed,
    async send(server) {
      if (path === null) return begin(server)
      const end = Math.min(acknowledged + pieceSize, content.length)
      if (end === content.length) claim.attempted = 1
      const sent = await tus(server, path, {
        method: 'PATCH',
        headers: {
          'upload-offset': String(acknowledged),
          'content-type': 'application/offset+octet-stream',
        },
        body: content.subarray(acknowledged, end),
      })
      if (sent === null) return false
      if (sent.status !== 204) throw await refusalOf(sent)
      standAt(end)
      return true
    },
    async askWhere(server) {
      if (path === null) return true
      const head = await tus(server, path, { method: 'HEAD' })
      if (head === null) return false
      const offset = Number(head.headers.get('upload-offset') ?? Number.NaN)
      if (acknowledged > 0) isResumed = true
      if (offset >= acknowledged) standAt(offset)
      else faults.push(`${claim.name} stands at ${offset} (${head.status}), acknowledged was ${acknowledged}`)
      return true
    },
  }
}
