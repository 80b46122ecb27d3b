import { isTask } from './service.ts'

/**
 * Serves the calls of the database, and no others. A job that a call could not do is due again after its
 * lease, so that an error only has to be logged.
 * @param run does the due jobs. Returns the fields of the response
 * @param failure the sentence for the log when `run` rejects
 */
export function serveTask(run: () => Promise<Record<string, number>>, failure: string): void {
  Deno.serve(async (request) => {
    try {
      if (!(await isTask(request))) return Response.json({ error: 'not_allowed' }, { status: 403 })
      return Response.json(await run())
    } catch (error) {
      console.error(failure, error instanceof Error ? error.message : error)
      return Response.json({ error: 'unfinished' }, { status: 500 })
    }
  })
}

/** Returns a function that runs `run` only after its previous runs have ended, so that one file at a time is in memory. */
export function runInTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve()
  return () => {
    const current = previous.then(run)
    previous = current.catch(() => undefined)
    return current
  }
}
