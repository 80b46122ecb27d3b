import type { Client } from 'pg'
import type { TimeBudget } from '../../budgets/createTimeBudget.ts'
import { backendProcess, type BackendProcess } from './backendProcess.ts'

/** Reading that ends sooner is counted by the clock: to read the time of a process would take longer than it deserves. */
const shortMs = 5
/** How often longer reading is checked at most. */
const minCheckMs = 20

/** Which connections have a lower priority, for reading of callers that have used their time of the processor. */
export interface ReadPriorities {
  isLowered(client: Client): boolean
  /** Whether the caller's reading has to run on such a connection. */
  isOver(caller: string): boolean
  /** For good. */
  lower(client: Client): void
  /**
   * Counts the time of the caller's reading until the returned function is called, and lowers the connection as soon as
   * none is left.
   * @param share how many connections read for the caller
   */
  begin(client: Client, caller: string, share: () => number): () => void
}

export function createReadPriorities(
  time: TimeBudget,
  process: BackendProcess = backendProcess,
): ReadPriorities {
  const lowered = new WeakSet<Client>()

  const lower = (client: Client): void => {
    if (!lowered.has(client)) process.lowerPriority(pidOf(client))
    lowered.add(client)
  }

  return {
    isLowered: (client) => lowered.has(client),
    isOver: (caller) => time.left(caller) <= 0,
    lower,
    begin(client, caller, share) {
      const began = performance.now()
      let before: number | null = null
      const used = (): number => {
        const now = before === null ? null : process.cpuTime(pidOf(client))
        return now === null ? 0 : shortMs + now - before!
      }
      const check = (): void => {
        before ??= process.cpuTime(pidOf(client))
        if (before === null || lowered.has(client)) return
        const leftMs = time.left(caller) / share() - used()
        if (leftMs <= 0) lower(client)
        else timer = setTimeout(check, Math.max(leftMs, minCheckMs))
      }
      let timer = setTimeout(check, shortMs)
      return () => {
        clearTimeout(timer)
        time.use(caller, before === null ? Math.min(performance.now() - began, shortMs) : used())
      }
    },
  }
}

/** The process of a connection; pg's types lack it. */
const pidOf = (client: Client): number => (client as unknown as { processID: number }).processID
