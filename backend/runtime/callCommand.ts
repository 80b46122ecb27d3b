import { requestLocally } from './requestLocally.ts'

const requestTimeoutMs = 15_000

/** The id of no workspace, for a request that names none. */
export const noWorkspace = '00000000-0000-0000-0000-000000000000'

interface Response {
  status: number
  /** A JSON document. */
  text: string
}

const unavailable: Response = {
  status: 503,
  text: JSON.stringify({ message: 'The server is not available. Try again.' }),
}

/** Where the data API of this server is. */
export interface LocalApi {
  /** The address of this server on this machine; available once the server listens. */
  localUrl: () => string
  publishableKey: string
}

/**
 * Calls a command with the token of a caller, by the data API of this server. The rate limits, the scopes of applications and the
 * second factor therefore apply, and an error is the one of the command. Returns 503 if the data API does not respond: a server that
 * ends accepts no new connections, but still receives requests over those of open pages.
 * @param o.isRead the call changes nothing: it runs in a read-only transaction, which counts against no rate limit
 */
export function callCommand(
  { localUrl, publishableKey }: LocalApi,
  bearer: string | null,
  name: string,
  args: Readonly<Record<string, string | boolean | null>>,
  o: { isRead?: boolean } = {},
): Promise<Response> {
  const url = new URL(`${localUrl()}/rest/v1/rpc/${name}`)
  const send = (options: Omit<Parameters<typeof requestLocally>[1], 'timeoutMs'>): Promise<Response> =>
    requestLocally(url.href, { ...options, timeoutMs: requestTimeoutMs }).catch(() => unavailable)
  const headers = { apikey: publishableKey, ...(bearer && { authorization: `Bearer ${bearer}` }) }
  if (o.isRead) {
    for (const [key, value] of Object.entries(args))
      if (value !== null) url.searchParams.set(key, String(value))
    return send({ headers })
  }
  return send({
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
}
