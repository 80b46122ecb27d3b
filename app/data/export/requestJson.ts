import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'

/** An error response: sending the request again does not help. */
export class RefusedRequest extends Error {
  override name = 'RefusedRequest'
}

/** Requests a path of the server with the user's token. Rejects if the response is an error, with `RefusedRequest` if
 * it would stay one. */
export async function requestPath(
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  const { data } = await client.auth.getSession()
  if (!data.session) throw new Error('session_ended')
  const response = await fetch(`${url}/${path}`, {
    cache: 'no-store',
    headers: { apikey: key, authorization: `Bearer ${data.session.access_token}`, ...headers },
    signal,
  })
  if ([400, 403, 404].includes(response.status)) throw new RefusedRequest(`${response.status} for ${path}`)
  if (!response.ok) throw new Error(`${response.status} for ${path}`)
  return response
}

/** The response to a query of the data API: what its policies show to the user. */
export async function requestJson<T>(query: string, signal: AbortSignal): Promise<T> {
  return (await requestPath(`rest/v1/${query}`, signal)).json() as Promise<T>
}
