import { getClient } from '../client/getClient.ts'
import { reauthenticate } from '../client/reauthentication.ts'
import { loadSettings } from '../client/settings.ts'
import { attempt, failureFrom, success, type Failure } from '../failures/failures.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

/** The outcome of a request to the embedded server. A failure may name the setting that caused it. */
export type ServerOutcome<T> = { ok: true; value: T } | { ok: false; failure: Failure & { field?: string } }

interface ServerRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below `/server/v1/`. */
  path: string
  body?: object
  language?: string
}

/** Body of a refusal. */
interface Refusal {
  error: string
  message: string
  setting?: string | null
}

/** Timeout (ms) of a request. A test mail waits for the mail server. */
const TIMEOUT_MS = 45_000

/** The name of the failure if the project is a hosted one, which has no such server. */
export const NO_SERVER = 'no_server'

/**
 * Sends a request of the current workspace to the embedded server, and once more if the user has to authenticate again for it.
 */
export async function sendToServer<T>(request: ServerRequest): Promise<ServerOutcome<T>> {
  const outcome = await sendOnce<T>(request)
  const isRefused = !outcome.ok && outcome.failure.name === 'reauthentication_required'
  return isRefused && (await reauthenticate()) ? sendOnce<T>(request) : outcome
}

/** The address of the server, and the headers of a request with the session of the user. */
export async function serverRequest(): Promise<{ url: string; headers: Record<string, string> }> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  const { data } = await client.auth.getSession()
  return { url, headers: { apikey: key, authorization: `Bearer ${data.session?.access_token ?? key}` } }
}

async function sendOnce<T>({ method, path, body, language }: ServerRequest): Promise<ServerOutcome<T>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return attempt(async () => {
    const { url, headers } = await serverRequest()
    const query = body ? '' : `?workspace=${workspace}`
    const response = await fetch(`${url}/server/v1/${path}${query}`, {
      method,
      headers: {
        ...headers,
        ...(language && { 'accept-language': language }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify({ ...body, workspace }) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const found: unknown = await response.json().catch(() => ({}))
    if (response.ok) return success(found as T)
    const { error, message, setting } = found as Partial<Refusal>
    if (typeof error === 'string' && /^[a-z_]+$/.test(error))
      return {
        ok: false,
        failure: { name: error, message: message ?? '', isRetryable: false, field: setting ?? '' },
      }
    const failure = failureFrom(found, response.status)
    // A command that refuses the caller has a code.
    const isMissing = response.status === 404 && typeof (found as { code?: unknown }).code !== 'string'
    return { ok: false, failure: isMissing ? { ...failure, name: NO_SERVER } : failure }
  })
}
