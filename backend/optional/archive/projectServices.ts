import type { ArchiveFile } from './ArchiveRow.ts'
import { ServiceError, type ProjectServices } from './ImportRequest.ts'

/** Where the services of a project are, and the key that bypasses its rules. */
export interface Project {
  url: string
  secretKey: string
}

const objectPath = ({ bucket, name }: Pick<ArchiveFile, 'bucket' | 'name'>): string =>
  `/storage/v1/object/${bucket}/${name.split('/').map(encodeURIComponent).join('/')}`

/** Reads the bytes of a stored object. Returns null if it does not exist any more. */
export async function readObject(
  { url, secretKey }: Project,
  object: Pick<ArchiveFile, 'bucket' | 'name'>,
): Promise<ReadableStream<Uint8Array> | null> {
  const response = await fetch(`${url}${objectPath(object)}`, { headers: keyHeaders(secretKey) })
  if (response.ok && response.body) return response.body
  const text = await response.text()
  if (response.status === 404 || /not.?found/i.test(text)) return null
  throw new ServiceError(`The file ${object.name} could not be read: ${text.slice(0, 500)}`)
}

/** Older projects have a key that is a token, which the services also expect in the other header. */
const keyHeaders = (key: string): Record<string, string> =>
  key.startsWith('sb_') ? { apikey: key } : { apikey: key, authorization: `Bearer ${key}` }

/** The services of a running server or of a hosted project. */
export function createProjectServices({ url, secretKey }: Project): ProjectServices {
  return {
    async storeObject(file) {
      const response = await fetch(`${url}${objectPath(file)}`, {
        method: 'POST',
        headers: { ...keyHeaders(secretKey), 'content-type': file.type, 'content-length': String(file.size) },
        body: ReadableStream.from(await file.open()),
        duplex: 'half',
      } as RequestInit)
      const text = await response.text()
      if (response.ok) return true
      if (response.status === 409 || /duplicate|already exists/i.test(text)) return false
      throw new ServiceError(`The file ${file.name} could not be stored: ${text.slice(0, 500)}`)
    },
    async createAccount(account) {
      const create = (body: object): Promise<Response> =>
        fetch(`${url}/auth/v1/admin/users`, {
          method: 'POST',
          headers: { ...keyHeaders(secretKey), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const { id, email } = account
      let response = await create({ id, email, email_confirm: true })
      // Another account has the id.
      if (!response.ok) response = await create({ email, email_confirm: true })
      const created = (await response.json()) as { id?: string; msg?: string }
      if (!response.ok || created.id === undefined)
        throw new ServiceError(
          `The account ${email} could not be created: ${created.msg ?? response.status}.`,
        )
      return created.id
    },
  }
}
