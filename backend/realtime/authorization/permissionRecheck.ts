import { applyResult } from './renewal.ts'
import type { ChannelIndex } from './channelIndex.ts'

const stepMs = 1_000
/**
 * The number of checks of a step with a negligible cost. With few topics, rounds are therefore shorter than
 * `intervalMs`.
 */
const minChecksPerStep = 40
const minSteps = 5

/**
 * Checks the policies of each private topic again within `intervalMs`, some of them each second. Permissions may
 * expire by time alone (a guest's last day, a session's last hour), and nothing notifies of that. A check costs a
 * third of a millisecond, most of it in PostgreSQL. So 5,000 topics every 30 s cost 5 % of a core, and 200 topics
 * every 5 s one per cent. A step waits for the results of the previous one, so that a slow database makes rounds
 * longer instead of the queue. No topic is closed while the database is unavailable.
 */
export function startPermissionRecheck(channelIndex: ChannelIndex, intervalMs: number): { close(): void } {
  if (intervalMs === Infinity) return { close() {} }
  const steps = Math.max(1, Math.round(intervalMs / stepMs))
  let isRunning = false
  const step = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    const all = channelIndex.size()
    const count = Math.max(Math.ceil(all / steps), Math.min(Math.ceil(all / minSteps), minChecksPerStep))
    const due = channelIndex.takeOldest(count)
    // An error in one must not prevent the next step.
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
