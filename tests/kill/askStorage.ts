import type { Address } from '../support/people.ts'

/**
 * Asks the storage service with the secret key, since what survives is the question and not who may; what is uploaded
 * may replace what is there. Null where no server answered, or one without its database.
 */
export async function askStorage(
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
    // A kill may come in the middle of a body too.
    const body = await response.arrayBuffer()
    if (response.status === 503) return null
    return new Response(body.byteLength > 0 ? body : null, response)
  } catch {
    return null
  }
}

/** For an answer that a server which is well must not give. */
export async function refusalOf(response: Response): Promise<Error> {
  return new Error(`An upload was refused: ${response.status} ${await response.text()}`)
}
