// Reads the text of attached files for the search. The database calls it when a file is attached, and every minute.
import { call, isTask } from '../_shared/service.ts'
import { indexFiles, type ClaimedFile } from './indexFiles.ts'

const url = Deno.env.get('SUPABASE_URL')!
const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!

/** Fetches the beginning of a file. The client library can't request a range. */
async function fetchFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
  const response = await fetch(`${url}/storage/v1/object/authenticated/files/${path}`, {
    headers: { Authorization: `Bearer ${key}`, apikey: key, Range: `bytes=0-${maxBytes - 1}` },
  })
  if (response.ok) return new Uint8Array(await response.arrayBuffer())
  await response.body?.cancel()
  // Storage responds with either to a path that has no object.
  if (response.status === 400 || response.status === 404) return null
  throw new Error(`Storage responded with status ${response.status}.`)
}

/** Further calls wait for this one, so that one file at a time is in memory. */
let previous: Promise<unknown> = Promise.resolve()

Deno.serve(async (request) => {
  try {
    if (!(await isTask(request.headers.get('x-linnet-task'))))
      return Response.json({ error: 'not_allowed' }, { status: 403 })
    const run = previous.then(() =>
      indexFiles({
        claim: () => call<ClaimedFile | null>('claim_file_text', {}),
        fetchFile,
        store: async (job, passages, isLast) => {
          await call('store_file_text', { job, passages, is_last: isLast })
        },
        fail: async (job, problem) => {
          await call('fail_file_text', { job, problem })
        },
      }),
    )
    previous = run.catch(() => undefined)
    return Response.json({ files: await run })
  } catch (error) {
    // The remaining jobs are due again after their lease.
    console.error('Not all files were read.', error instanceof Error ? error.message : error)
    return Response.json({ error: 'unfinished' }, { status: 500 })
  }
})
