import { people } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'
import { encodeMetadata } from '../support/tusClient.ts'

type Body = string | Uint8Array<ArrayBuffer>

/** Bea's requests for what lies in her own folder. What these write replaces what is there. */
export interface Folder {
  /** The headers of an upload of text that replaces nothing, for other requests. */
  headers: Record<string, string>
  /** The address of a file. */
  at(name: string): string
  put(name: string, body: Body): Promise<Response>
  get(name: string): Promise<Response>
  remove(name: string): Promise<Response>
  /** Returns the status. */
  relocate(verb: 'move' | 'copy', from: string, to: string): Promise<number>
  /**
   * Creates a resumable upload, optionally with its first chunk, and returns its URL. Throws the status if that
   * is refused.
   */
  begin(name: string, length: number, piece?: Body): Promise<string>
  sendPiece(address: string, offset: number, piece: Body): Promise<Response>
  offsetOf(address: string): Promise<string | null>
}

export async function openFolder(server: StorageServer): Promise<Folder> {
  const own = await server.headersOf('bea')
  const headers = { ...own, 'content-type': 'text/plain' }
  const upsert = { 'x-upsert': 'true' }
  const protocol = { ...own, ...upsert, 'tus-resumable': '1.0.0' }
  const ofPiece = { 'content-type': 'application/offset+octet-stream' }
  const at = (name: string): string => `${server.url}/storage/v1/object/files/${people.bea}/${name}`
  return {
    headers,
    at,
    put: (name, body) => fetch(at(name), { method: 'PUT', body, headers }),
    get: (name) => fetch(at(name), { headers }),
    remove: (name) => fetch(at(name), { method: 'DELETE', headers }),
    async relocate(verb, from, to) {
      const { status } = await fetch(`${server.url}/storage/v1/object/${verb}`, {
        method: 'POST',
        headers: { ...own, ...upsert, 'content-type': 'application/json' },
        body: JSON.stringify({
          bucketId: 'files',
          sourceKey: `${people.bea}/${from}`,
          destinationKey: `${people.bea}/${to}`,
        }),
      })
      return status
    },
    async begin(name, length, piece) {
      const metadata = encodeMetadata({ bucketName: 'files', objectName: `${people.bea}/${name}` })
      const begun = await fetch(`${server.url}/storage/v1/upload/resumable`, {
        method: 'POST',
        headers: {
          ...protocol,
          ...(piece !== undefined && ofPiece),
          'upload-length': String(length),
          'upload-metadata': metadata,
        },
        ...(piece !== undefined && { body: piece }),
      })
      if (begun.status !== 201) throw new Error(`The upload was not begun: ${begun.status}`)
      return server.url + begun.headers.get('location')!
    },
    sendPiece: (address, offset, piece) =>
      fetch(address, {
        method: 'PATCH',
        headers: { ...protocol, ...ofPiece, 'upload-offset': String(offset) },
        body: piece,
      }),
    async offsetOf(address) {
      return (await fetch(address, { method: 'HEAD', headers: protocol })).headers.get('upload-offset')
    },
  }
}
