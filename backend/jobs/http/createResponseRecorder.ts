import type { CompletedRequest, RequestQueue } from './requestQueue.ts'
import type { Outcome } from './sendRequest.ts'

/** Until a statement is repeated after the database did not respond. */
const retryDelayMs = 1_000

/**
 * Stores responses. Those that arrive while others are being written share the next transaction, so that small requests
 * do not each wait for a disk. `record` resolves only when the request is off the queue: until then it would be sent
 * again. It stops trying if the tables were dropped, or if the server stops while PostgreSQL is unavailable.
 * @param onLost called for a response that PostgreSQL refuses, with the reason: its request is off the queue all the same
 */
export function createResponseRecorder(
  queue: RequestQueue,
  onLost: (id: string, reason: string) => void,
): {
  record(id: string, outcome: Outcome): Promise<void>
  /** From now on a failed statement is not repeated. */
  stopRetrying(): void
} {
  let waiting: { completed: CompletedRequest; done: () => void }[] = []
  let writing = false
  let stopped = false

  /** Repeats a statement while the database is unavailable; rejects with an error that a repetition would not fix. */
  const retryWhileUnavailable = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (stopped || isPermanent(error)) throw error
        await new Promise((resolve) => {
          setTimeout(resolve, retryDelayMs).unref()
        })
      }
    }
  }

  /** One that PostgreSQL cannot store, or that a trigger refuses, must not block the others. */
  const writeOne = async ({ id, outcome }: CompletedRequest): Promise<void> => {
    const withoutContent = {
      ...outcome,
      headers: null,
      content: null,
      error_msg: "The response can't be stored as text",
    }
    await retryWhileUnavailable(() => queue.finish([{ id, outcome }]))
      .catch((error: unknown) => {
        if (!isDataError(error)) throw error
        return retryWhileUnavailable(() => queue.finish([{ id, outcome: withoutContent }]))
      })
      .catch(async (error: Error) => {
        if (!isPermanent(error)) return
        // In the queue it would be sent again and again. If the tables were dropped, there is no queue.
        await retryWhileUnavailable(() => queue.drop(id))
        onLost(id, error.message)
      })
      .catch(() => {})
  }

  const write = async (completed: CompletedRequest[]): Promise<void> => {
    try {
      await retryWhileUnavailable(() => queue.finish(completed))
    } catch (error) {
      // Otherwise the server stops, and the rest stays in the queue for the next one.
      if (!isPermanent(error)) return
      for (const one of completed) await writeOne(one)
    }
  }

  const drain = async (): Promise<void> => {
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await write(batch.map(({ completed }) => completed))
      for (const { done } of batch) done()
    }
    writing = false
  }

  return {
    record: (id, outcome) =>
      new Promise((done) => {
        waiting.push({ completed: { id, outcome }, done })
        void drain()
      }),
    stopRetrying() {
      stopped = true
    },
  }
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** SQLSTATE 22: a value that the type cannot store. */
const isDataError = (error: unknown): boolean => codeOf(error).startsWith('22')

/** An error of the statement, the tables or a trigger, and not of a server that is unavailable or busy. */
const isPermanent = (error: unknown): boolean => /^(0A|2[1237]|2F|3[89F]|42|44|54|P0)...$/.test(codeOf(error))
