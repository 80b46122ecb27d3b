import type { Answered, RequestQueue } from './requestQueue.ts'
import type { Outcome } from './sendRequest.ts'

/** Until a database that did not answer is asked again. */
const retryMs = 1_000

/**
 * Keeps answers: those that come while others are being written go together into the next transaction, so that
 * many small requests don't wait for a disk each. `keep` resolves when the request is off the queue, and not before:
 * until then it would be sent again. Where the tables are gone, or the server stops while PostgreSQL is away, it
 * gives up.
 * @param onLost told of an answer that PostgreSQL refuses, with its reason: its request is off the queue all the same
 */
export function createAnswerKeeper(
  queue: RequestQueue,
  onLost: (id: string, reason: string) => void,
): {
  keep(id: string, outcome: Outcome): Promise<void>
  /** What can't be written from now on is not tried again. */
  giveUp(): void
} {
  let waiting: { answered: Answered; done: () => void }[] = []
  let writing = false
  let given = false

  /** Does it again for as long as the database is away; rejects with what another time would not mend. */
  const persist = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (given || isRefusal(error)) throw error
        await new Promise((resolve) => {
          setTimeout(resolve, retryMs).unref()
        })
      }
    }
  }

  /** One that PostgreSQL can't hold, or that a trigger refuses, must not stand in the way of the others. */
  const writeOne = async ({ id, outcome }: Answered): Promise<void> => {
    const without = {
      ...outcome,
      headers: null,
      content: null,
      error_msg: "The answer can't be kept as text",
    }
    await persist(() => queue.finish([{ id, outcome }]))
      .catch((error: unknown) => {
        if (!isOfData(error)) throw error
        return persist(() => queue.finish([{ id, outcome: without }]))
      })
      .catch(async (error: Error) => {
        if (!isRefusal(error)) return
        // Left in the queue it would be sent again and again. Where the tables are gone there is no queue.
        await persist(() => queue.drop(id))
        onLost(id, error.message)
      })
      .catch(() => {})
  }

  const write = async (answered: Answered[]): Promise<void> => {
    try {
      await persist(() => queue.finish(answered))
    } catch (error) {
      // Else it is the end, and what is left is for the next server.
      if (!isRefusal(error)) return
      for (const one of answered) await writeOne(one)
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

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** SQLSTATE 22: a value that doesn't fit. */
const isOfData = (error: unknown): boolean => codeOf(error).startsWith('22')

/** What lies in the statement, the tables or a trigger on them, and not in a server that is away or busy. */
const isRefusal = (error: unknown): boolean => /^(0A|2[1237]|2F|3[89F]|42|44|54|P0)...$/.test(codeOf(error))
