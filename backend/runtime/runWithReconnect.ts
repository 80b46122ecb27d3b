/** Between attempts, doubling. */
const retryDelayMs = { min: 100, max: 10_000 }

/**
 * Runs `attempt`, which lasts as long as its connection, in a loop, with increasing delays while it fails. `attempt`
 * calls `established` once it is connected; its first argument is whether it ever was before.
 * @param o.maxDelayMs where reconnecting is more urgent than usual
 */
export function runWithReconnect(o: {
  attempt: (wasEstablished: boolean, established: () => void) => Promise<void>
  /** @param retryMs when the next attempt begins */
  onInterrupted: (reason: string, retryMs: number) => void
  maxDelayMs?: number | undefined
}): { close(): Promise<void> } {
  const state = { closed: false, wasEstablished: false, delayMs: retryDelayMs.min }
  let wake = (): void => {}
  let end = (): void => {}
  // A connection that breaks while it is being established may never emit an event: `close` does not wait for it.
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const run = async (): Promise<void> => {
    while (!state.closed) {
      let reason = 'the connection has ended'
      try {
        const attempt = o.attempt(state.wasEstablished, () => {
          state.wasEstablished = true
          state.delayMs = retryDelayMs.min
        })
        await Promise.race([attempt, ended])
      } catch (error) {
        reason = (error as Error).message
      }
      if (state.closed) return
      o.onInterrupted(reason, state.delayMs)
      await sleep(state.delayMs)
      state.delayMs = Math.min(state.delayMs * 2, o.maxDelayMs ?? retryDelayMs.max)
    }
  }

  const running = run()
  return {
    async close() {
      state.closed = true
      wake()
      end()
      await running
    },
  }
}
