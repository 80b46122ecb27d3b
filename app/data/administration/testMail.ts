import type { ProblemKind } from '../../../wire/serverChecks.ts'
import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'
import { attempt, createFailure, success, type Outcome } from '../failures/failures.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

/** Where a test mail was sent; `problem` is null if the mail server has accepted it. */
export interface TestMail {
  recipient: string
  problem: ProblemKind | null
}

/** Timeout (ms) of the request; the function may be starting. */
const TIMEOUT_MS = 30_000

/** Has the server mail this administrator of the server, to try its mail server. */
export async function sendTestMail(language: string): Promise<Outcome<TestMail>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return attempt(async () => {
    const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
    const { data } = await client.auth.getSession()
    const response = await fetch(`${url}/functions/v1/notification-mail?test=${workspace}`, {
      method: 'POST',
      headers: {
        apikey: key,
        authorization: `Bearer ${data.session?.access_token ?? key}`,
        'accept-language': language,
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.ok) return success((await response.json()) as TestMail)
    return { ok: false, failure: createFailure(response.status === 403 ? 'not_allowed' : 'network') }
  })
}
