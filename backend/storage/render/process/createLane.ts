import { failures } from '../../failures.ts'

/** What comes one after the other. */
export interface Lane {
  /**
   * Runs `work` when its turn has come. Throws SlowDown where too many wait, or its turn came too late.
   * @param by who asks
   */
  take<T>(by: string, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  begin(): void
  refuse(): void
}

/**
 * Those who ask take turns, so that one who asks for a hundred waits for a single picture of another and not the other
 * way round; where no place is left, the last of whoever has the most is turned away.
 */
export function createLane(o: { queue: number; patience: number; now: () => number }): Lane {
  /** By who asks; the one whose turn is next comes first. */
  const lines = new Map<string, Waiting[]>()
  let waiting = 0
  let isTaken = false

  /** Whether there is a place for one more of `by`. */
  const makeRoom = (by: string): boolean => {
    if (waiting < o.queue) return true
    let most = (lines.get(by)?.length ?? 0) + 1
    let longest: Waiting[] | null = null
    for (const line of lines.values()) if (line.length > most) [longest, most] = [line, line.length]
    if (!longest) return false
    waiting--
    longest.pop()!.refuse()
    return true
  }

  const waitInLine = (by: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!makeRoom(by)) return reject(failures.tooManyRenderings())
      const since = o.now()
      const refuse = (): void => reject(failures.tooManyRenderings())
      const begin = (): void => {
        if (o.now() - since <= o.patience) return resolve()
        refuse()
        passOn()
      }
      lines.set(by, [...(lines.get(by) ?? []), { begin, refuse }])
      waiting++
    })

  const passOn = (): void => {
    const [by, line] = lines.entries().next().value ?? []
    if (by === undefined || line === undefined) {
      isTaken = false
      return
    }
    const next = line.shift()!
    waiting--
    lines.delete(by)
    if (line.length > 0) lines.set(by, line)
    next.begin()
  }

  return {
    async take(by, work) {
      if (isTaken) await waitInLine(by)
      isTaken = true
      try {
        return await work()
      } finally {
        passOn()
      }
    },
  }
}
