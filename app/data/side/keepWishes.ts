import type { Uuid } from '../../../wire/linnet.ts'
import type { Outcome } from '../failures.ts'
import type { Wishes } from './wishes.ts'

/** Shows a change and asks for it. `onWaiting` is called once if it has to wait for the connection. */
export type Keep<P extends object> = (
  id: Uuid,
  change: Partial<P>,
  onWaiting?: () => void,
) => Promise<Outcome>

interface Ports<P extends object> {
  wishes: Wishes<P>
  /** Writes the change; when it answers well, the row itself shows it. */
  save: (id: Uuid, change: Partial<P>) => Promise<Outcome>
  /** Resolves after so many ms, or sooner when the connection is back. */
  pause: (ms: number) => Promise<void>
}

/** Pauses between tries: three minutes in all, longer than a lift or a tunnel. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 45_000, 45_000]

/**
 * Asks for what is wished for, again while the server can't be reached; refused, it is taken back. One request a row at a time,
 * so that a later wish is the one that stands.
 */
export function keepWishes<P extends object>({ wishes, save, pause }: Ports<P>): Keep<P> {
  const lines = new Map<Uuid, Promise<unknown>>()

  async function ask(id: Uuid, change: Partial<P>, onWaiting?: () => void): Promise<Outcome> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await save(id, change)
      const wait = PAUSES[tries]
      if (outcome.ok || !outcome.failure.again || wait === undefined) return outcome
      if (tries === 0) onWaiting?.()
      await pause(wait)
    }
  }

  return (id, change, onWaiting) => {
    const end = wishes.wish(id, change)
    const mine = (lines.get(id) ?? Promise.resolve())
      .then(() => ask(id, change, onWaiting))
      .finally(() => {
        if (lines.get(id) === mine) lines.delete(id)
        end()
      })
    lines.set(id, mine)
    return mine
  }
}
