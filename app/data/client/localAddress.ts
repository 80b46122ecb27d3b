import { attempt, success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

/** Whether the page was opened at an address that means the reader's own computer, which no other device can open. */
export function isLocalAddress(hostname: string = location.hostname): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/**
 * The address at which other devices open this server: its public address, or the one in its network. Null if they can't.
 */
export const networkAddress = createQuery({
  fetch: () =>
    attempt(async () => {
      const response = await fetch('/linnet.json', { cache: 'no-cache' })
      const { networkUrl } = (await response.json()) as { networkUrl?: unknown }
      const isUseful = typeof networkUrl === 'string' && !isLocalAddress(new URL(networkUrl).hostname)
      return success(isUseful ? networkUrl : null)
    }),
  isPublic: true,
})
