// Deletes the objects of removed attachments and avatars. Called by the database, at once and every five minutes.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { deleteFiles } from './deleteFiles.ts'

const service = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!, {
  auth: { persistSession: false, autoRefreshToken: false },
})

/** Calls a function of the database. */
async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(`${name}: ${error.message}`)
  return data
}

Deno.serve(async (request) => {
  try {
    const secret = request.headers.get('x-linnet-task')
    const checked = secret === null ? null : ((await call('check_task', { secret })) as { valid: boolean })
    if (!checked?.valid) return Response.json({ error: 'not_allowed' }, { status: 403 })
    const deleted = await deleteFiles({
      list: async (max) =>
        (await call('list_files_to_delete', { max_files: max })) as { bucket: string; name: string }[],
      async remove(bucket, names) {
        const { error } = await service.storage.from(bucket).remove(names)
        if (error) throw new Error(`${bucket}: ${error.message}`)
      },
      confirm: async (bucket, names) => {
        await call('confirm_files_deleted', { bucket, names })
      },
    })
    return Response.json({ deleted })
  } catch (error) {
    // The remaining files stay in the queue for the next call.
    console.error('Not all files were deleted.', error instanceof Error ? error.message : error)
    return Response.json({ error: 'unfinished' }, { status: 500 })
  }
})
