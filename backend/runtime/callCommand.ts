import { requestLocally } from './requestLocally.ts'

const requestTimeoutMs = 15_000

/** Where the data API of this server is. */
export interface LocalApi {
  /** The address of this server on this machine; available once the server listens. */
  localUrl: () => string
  publishableKey: string
}

/**
 * Calls a command with the token of a caller, by the data API of this server. The rate limits, the scopes of applications and the
 * second factor therefore apply, and an error is the one of the command.
 */
export function callCommand(
  { localUrl, publishableKey }: LocalApi,
  bearer: string | null,
  name: string,
  args: object,
): Promise<{ status: number; text: string }> {
  return requestLocally(`${localUrl()}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      apikey: publishableKey,
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      'content-type': 'application/json',
    },
    body: JSON.stringify(args),
    timeoutMs: requestTimeoutMs,
  })
}
