// Empties the bytes of what people have deleted. Called by our own database, promptly and every five minutes.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { emptyFiles } from './emptyFiles.ts'

const service = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!, {
  auth: { persistSession: false, autoRefreshToken: false },
})

/** What a command of the database answers; throws what it was refused with. */
async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(`${name}: ${error.message}`)
  return data
}

Deno.serve(async (request) => {
  try {
    const secret = request.headers.get('x-linnet-task')
    const checked = secret === null ? null : ((await call('check_task', { secret })) as { ours: boolean })
    if (!checked?.ours) return Response.json({ error: 'not_allowed' }, { status: 403 })
    const emptied = await emptyFiles({
      waiting: async (most) =>
        (await call('files_to_empty', { max_files: most })) as { bucket: string; name: string }[],
      async remove(bucket, names) {
        const { error } = await service.storage.from(bucket).remove(names)
        if (error) throw new Error(`${bucket}: ${error.message}`)
      },
      done: async (bucket, names) => {
        await call('files_emptied', { bucket, names })
      },
    })
    return Response.json({ emptied })
  } catch (error) {
    // What is left is in the queue still, for the next call.
    console.error('Files are left to empty.', error instanceof Error ? error.message : error)
    return Response.json({ error: 'unfinished' }, { status: 500 })
  }
})
