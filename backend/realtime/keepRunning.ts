const retryMs = { first: 100, most: 2_000 }

/**
 * Runs `attempt`, which lasts for as long as its connection does, again and again, with growing pauses
 * while it fails. `attempt` calls `established` once it works, and learns by `again` whether it ever did.
 */
export function keepRunning(o: {
  attempt: (again: boolean, established: () => void) => Promise<void>
  onInterrupted: (reason: string) => void
}): { close(): Promise<void> } {
  const state = { closed: false, again: false, wait: retryMs.first }
  let wake = (): void => {}
  let end = (): void => {}
  // A connection that is cut while it is being made may never say so: closing does not wait for it.
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  const pause = (ms: number): Promise<void> =>
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
        const attempt = o.attempt(state.again, () => {
          state.again = true
          state.wait = retryMs.first
        })
        await Promise.race([attempt, ended])
      } catch (error) {
        reason = (error as Error).message
      }
      if (state.closed) return
      o.onInterrupted(reason)
      await pause(state.wait)
      state.wait = Math.min(state.wait * 2, retryMs.most)
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
