import { isPointer, laneOf, messageOf } from './deeds.ts'
import type { Deed } from './deeds.ts'
import { backoff } from '../ports.ts'
import type { Ports } from '../ports.ts'

/** So many requests of the outbox run at once: after hours offline hundreds may wait. */
const MOST = 4
/** Nothing waits longer by the clock, ms: one that was set back must not hold a deed for years. */
const LONGEST = 60_000

export interface Lanes {
  /** Starts whatever is due; called after each change of the deeds. */
  go: () => void
  /** The same, without waiting for what failed before. */
  kick: () => void
  /** The same, with the pointers that wait for their turn. */
  hurry: () => void
  busy: () => number
  stop: () => void
}

/** Runs deeds in order within their lanes, a few lanes at a time, each again after a while where it failed. */
export function createLanes(
  ports: Pick<Ports, 'after' | 'random'> & {
    clock: () => number
    deeds: () => readonly Deed[]
    deliver: (deed: Deed) => Promise<'done' | 'later'>
    may: () => boolean
  },
): Lanes {
  const { clock } = ports
  /** What runs in each lane. */
  const running = new Map<string, Deed>()
  const failed = new Map<string, { tries: number; until: number }>()
  let wake: (() => void) | null = null

  function go(hurrying = false) {
    wake?.()
    wake = null
    if (!ports.may()) return
    const now = clock()
    const deeds = ports.deeds()
    const begun = new Set<string>()
    let next = LONGEST + 1
    for (const deed of deeds) {
      const lane = laneOf(deed)
      if (deed.state !== 'pending' || begun.has(lane)) continue
      begun.add(lane)
      const waits = waitsForMessage(deed, deeds) || waitsForMessage(deed, [...running.values()])
      if (running.has(lane) || running.size >= MOST || waits) continue
      const asked = hurrying && isPointer(deed) ? 0 : deed.notBefore
      const wait = Math.max(asked, failed.get(lane)?.until ?? 0) - now
      if (wait > 0 && wait <= LONGEST) next = Math.min(next, wait)
      else start(deed, lane)
    }
    if (next <= LONGEST) wake = ports.after(next, () => go())
  }

  function start(deed: Deed, lane: string) {
    running.set(lane, deed)
    void ports.deliver(deed).then(
      (result) => settle(lane, result),
      () => settle(lane, 'later'),
    )
  }

  function settle(lane: string, result: 'done' | 'later') {
    running.delete(lane)
    if (result === 'done') failed.delete(lane)
    else {
      const tries = failed.get(lane)?.tries ?? 0
      failed.set(lane, { tries: tries + 1, until: clock() + backoff(ports, tries, LONGEST) })
    }
    go()
  }

  return {
    go: () => go(),
    kick: () => {
      failed.clear()
      go()
    },
    hurry: () => go(true),
    busy: () => running.size + (wake ? 1 : 0),
    stop: () => {
      wake?.()
      wake = null
    },
  }
}

/**
 * What is to be done to a message that is still on its way waits for it, also when its author has taken it back: a
 * deletion that overtakes it finds nothing, and then it is there.
 */
function waitsForMessage(deed: Deed, deeds: readonly Deed[]): boolean {
  const message = messageOf(deed)
  if (message === null) return false
  return deeds.some((one) => one.kind === 'send' && one.id === message && one.state === 'pending')
}
