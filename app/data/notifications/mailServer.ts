import { loadSettings } from '../client/settings.ts'
import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

const requestTimeoutMs = 10_000

/** Rejects if the server can't be reached. */
async function hasMailServer(): Promise<boolean> {
  const { url, key } = await loadSettings()
  const response = await fetch(`${url}/functions/v1/notification-mail`, {
    headers: { apikey: key },
    signal: AbortSignal.timeout(requestTimeoutMs),
  })
  // A project without the function sends none either.
  if (response.status === 404) return false
  if (!response.ok) throw new Error(`notification-mail: ${response.status}`)
  return ((await response.json()) as { available: boolean }).available
}

/** Whether the server sends mails of unread messages: it does not without a mail server. */
export const mailAvailability = createQuery({
  fetch: async () => success(await hasMailServer()),
  isPublic: true,
})
