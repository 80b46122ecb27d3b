import { StartError } from '../postgres/server/StartError.ts'
import { requestLocally } from '../runtime/requestLocally.ts'

/** A server of an older version without these routes, or one that listens on no loopback address. */
export class ControlUnavailable extends StartError {
  override name = 'ControlUnavailable'
}

/**
 * Requests an action of the server that runs on this machine. Throws StartError with the reason if the server refuses, and
 * ControlUnavailable if it does not have the action.
 * @param dashboard the URL of the administration page, which contains the token
 */
export async function sendControl<Result>(
  dashboard: string,
  action: string,
  body: object | null,
  timeoutMs: number,
): Promise<Result> {
  const { protocol, host, pathname } = new URL(dashboard)
  const token = pathname.split('/')[2] ?? ''
  const { status, text } = await requestLocally(`${protocol}//${host}/_/control/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs,
  })
  if (status === 200) return JSON.parse(text) as Result
  if (status === 409) throw new StartError((JSON.parse(text) as { message: string }).message)
  throw new ControlUnavailable('The running server does not accept this command.')
}
