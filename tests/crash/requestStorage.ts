import type { Address } from '../support/people.ts'

/**
 * Sends a request to the storage service with the secret key, since durability is tested and not permissions; uploads
 * replace existing objects. Null where no server responded, or one without its database.
 */
export async function requestStorage(
  { url, secretKey }: Pick<Address, 'url' | 'secretKey'>,
  path: string,
  init: RequestInit = {},
): Promise<Response | null> {
  const keys = { apikey: secretKey, authorization: `Bearer ${secretKey}`, 'x-upsert': 'true' }
  try {
    const response = await fetch(`${url}/storage/v1/${path}`, {
      ...init,
      headers: { ...init.headers, ...keys },
    })
    // The server may also be killed in the middle of a body.
    const body = await response.arrayBuffer()
    if (response.status === 503) return null
    return new Response(body.byteLength > 0 ? body : null, response)
  } catch {
    return null
  }
}

/** For a response that a healthy server must not send. */
export async function uploadError(response: Response): Promise<Error> {
  return new Error(`An upload was refused: ${response.status} ${await response.text()}`)
}
