import { applyResult } from './renewal.ts'
import type { ChannelIndex } from './channelIndex.ts'

const stepMs = 1_000
/** Checks of a step with a negligible cost: with few topics, rounds are shorter than `intervalMs`. */
const minChecksPerStep = 40
const minSteps = 5

/**
 * Checks the policies of each private topic again within `intervalMs`, some of them each second: permissions may expire
 * by time alone (a guest's last day, a session's last hour), of which there is no notification. A check costs a third
 * of a millisecond, most of it in PostgreSQL, so that 5,000 topics every 30 s cost 5 % of a core, and 200 every 5 s one
 * per cent. The next step waits for the results of the last, so that a slow database makes rounds longer instead of the
 * queue; while it is unavailable, no topic is closed.
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
