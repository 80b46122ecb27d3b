// Reads the text of attached files for the search. Called by the database when a file is attached, and every minute.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { indexFiles, type ClaimedFile } from './indexFiles.ts'

const url = Deno.env.get('SUPABASE_URL')!
const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!
const service = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })

/** Calls a function of the database. */
async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(`${name}: ${error.message}`)
  return data
}

/** The client library can't request a range. */
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

/** Calls that arrive meanwhile wait: one file at a time is in memory. */
let previous: Promise<unknown> = Promise.resolve()

Deno.serve(async (request) => {
  try {
    const secret = request.headers.get('x-linnet-task')
    const checked = secret === null ? null : ((await call('check_task', { secret })) as { valid: boolean })
    if (!checked?.valid) return Response.json({ error: 'not_allowed' }, { status: 403 })
    const run = previous.then(() =>
      indexFiles({
        claim: async () => (await call('claim_file_text', {})) as ClaimedFile | null,
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
