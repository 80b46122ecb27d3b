// Deletes the objects of removed attachments and avatars. The database calls it at once and every five minutes.
import { call, isTask, service } from '../_shared/service.ts'
import { deleteFiles } from './deleteFiles.ts'

Deno.serve(async (request) => {
  try {
    if (!(await isTask(request.headers.get('x-linnet-task'))))
      return Response.json({ error: 'not_allowed' }, { status: 403 })
    const deleted = await deleteFiles({
      list: (max) => call<{ bucket: string; name: string }[]>('list_files_to_delete', { max_files: max }),
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
