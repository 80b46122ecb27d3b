import { applyAnswer } from './renewal.ts'
import type { UserIndex } from './userIndex.ts'

const stepMs = 1_000

/**
 * Asks the policies of each private topic again within `intervalMs`, some of them each second: rights that
 * pass by the clock alone (a guest's last day, a session's last hour) are announced by nobody, and the
 * service can't know when they do. The next step waits for the answers of the last, so that a slow database
 * makes the rounds longer rather than the queue; where it can't be asked, nothing ends.
 */
export function keepAsking(users: UserIndex, intervalMs: number): { close(): void } {
  if (intervalMs === Infinity) return { close() {} }
  const steps = Math.max(1, Math.round(intervalMs / stepMs))
  let asking = false
  const step = async (): Promise<void> => {
    if (asking) return
    asking = true
    const due = users.takeOldest(Math.ceil(users.size() / steps))
    await Promise.all(
      due.map(async (channel) => {
        if (!channel.isPrivate || !channel.joined) return
        const [answer] = await Promise.all([channel.evaluate(), channel.confirmWrites()])
        if (!channel.closed && answer.outcome !== 'unavailable') applyAnswer(channel, answer)
      }),
    )
    asking = false
  }
  // Asking never rejects.
  const timer = setInterval(() => void step(), stepMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
