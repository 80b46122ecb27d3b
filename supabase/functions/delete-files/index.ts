// Deletes the objects of removed attachments and avatars. The database calls it at once and every five minutes.
import { serveTask } from '../_shared/serveTask.ts'
import { call, service } from '../_shared/service.ts'
import { deleteFiles } from './deleteFiles.ts'

// If a call fails, the remaining files stay in the queue for the next one.
serveTask(async () => {
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
  return { deleted }
}, 'Not all files were deleted.')
