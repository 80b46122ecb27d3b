import { applyResult } from './renewal.ts'
import type { UserIndex } from './userIndex.ts'

const stepMs = 1_000
/** Questions of a step that cost nothing to speak of: where there are few topics, rounds are shorter by them. */
const minChecksPerStep = 40
const minSteps = 5

/**
 * Asks the policies of each private topic again within `intervalMs`, some of them each second: rights that
 * pass by the clock alone (a guest's last day, a session's last hour) are announced by nobody, and the
 * service can't know when they do. A question costs a third of a millisecond, most of it PostgreSQL's, so
 * that 5,000 topics every 30 s cost 5 % of a core, and 200 every 5 s one per cent. The next step waits for the
 * answers of the last, so that a slow database makes the rounds longer rather than the queue; where it can't
 * be asked, nothing ends.
 */
export function startPermissionRecheck(users: UserIndex, intervalMs: number): { close(): void } {
  if (intervalMs === Infinity) return { close() {} }
  const steps = Math.max(1, Math.round(intervalMs / stepMs))
  let isRunning = false
  const step = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    const all = users.size()
    const count = Math.max(Math.ceil(all / steps), Math.min(Math.ceil(all / minSteps), minChecksPerStep))
    const due = users.takeOldest(count)
    // Whatever goes wrong with one, the next step comes.
    await Promise.allSettled(
      due.map(async (channel) => {
        if (!channel.isPrivate || !channel.joined) return
        const [result] = await Promise.all([channel.evaluateReads(), channel.recheckWrites()])
        if (!channel.closed && result.outcome !== 'unavailable') applyResult(channel, result)
      }),
    )
    isRunning = false
  }
  const timer = setInterval(() => void step(), stepMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
