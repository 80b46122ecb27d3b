import { requestLocally } from './requestLocally.ts'

const requestTimeoutMs = 15_000

/** The id of no workspace, for a request that names none. */
export const noWorkspace = '00000000-0000-0000-0000-000000000000'

/** Where the data API of this server is. */
export interface LocalApi {
  /** The address of this server on this machine; available once the server listens. */
  localUrl: () => string
  publishableKey: string
}

/**
 * Calls a command with the token of a caller, by the data API of this server. The rate limits, the scopes of applications and the
 * second factor therefore apply, and an error is the one of the command.
 * @param o.isRead the call changes nothing: it runs in a read-only transaction, which counts against no rate limit
 */
export function callCommand(
  { localUrl, publishableKey }: LocalApi,
  bearer: string | null,
  name: string,
  args: Readonly<Record<string, string | boolean | null>>,
  o: { isRead?: boolean } = {},
): Promise<{ status: number; text: string }> {
  const url = new URL(`${localUrl()}/rest/v1/rpc/${name}`)
  const headers = { apikey: publishableKey, ...(bearer && { authorization: `Bearer ${bearer}` }) }
  if (o.isRead) {
    for (const [key, value] of Object.entries(args))
      if (value !== null) url.searchParams.set(key, String(value))
    return requestLocally(url.href, { headers, timeoutMs: requestTimeoutMs })
  }
  return requestLocally(url.href, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(args),
    timeoutMs: requestTimeoutMs,
  })
}
