import { isDropped, type Answered, type RequestQueue } from './requestQueue.ts'
import type { Outcome } from './sendRequest.ts'

/** Until a database that did not answer is asked again. */
const retryMs = 1_000

/**
 * Keeps answers: those that come while others are being written go together into the next transaction, so that
 * many small requests don't wait for a disk each. `keep` resolves when the request is off the queue, and not before:
 * until then it would be sent again. Where the tables are gone, or the server stops while PostgreSQL is away, it
 * gives up.
 */
export function createAnswerKeeper(queue: RequestQueue): {
  keep(id: string, outcome: Outcome): Promise<void>
  /** What can't be written from now on is not tried again. */
  giveUp(): void
} {
  let waiting: { answered: Answered; done: () => void }[] = []
  let writing = false
  let given = false

  const write = async (answered: Answered[]): Promise<void> => {
    for (;;) {
      try {
        return await queue.finish(answered)
      } catch (error) {
        if (given || isDropped(error)) return
        if (isOfData(error)) return await writeEach(answered)
        await new Promise((resolve) => {
          setTimeout(resolve, retryMs).unref()
        })
      }
    }
  }

  /** One that PostgreSQL can't hold must not stand in the way of the others. */
  const writeEach = async (answered: Answered[]): Promise<void> => {
    for (const { id, outcome } of answered) {
      const without = {
        ...outcome,
        headers: null,
        content: null,
        error_msg: "The answer can't be kept as text",
      }
      await queue
        .finish([{ id, outcome }])
        .catch(() => queue.finish([{ id, outcome: without }]))
        .catch(() => {})
    }
  }

  const drain = async (): Promise<void> => {
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await write(batch.map(({ answered }) => answered))
      for (const { done } of batch) done()
    }
    writing = false
  }

  return {
    keep: (id, outcome) =>
      new Promise((done) => {
        waiting.push({ answered: { id, outcome }, done })
        void drain()
      }),
    giveUp() {
      given = true
    },
  }
}

/** SQLSTATE 22: a value that doesn't fit. */
function isOfData(error: unknown): boolean {
  return ((error as { code?: string }).code ?? '').startsWith('22')
}
