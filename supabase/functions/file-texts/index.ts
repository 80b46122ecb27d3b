// Reads the text of attached files for the search. The database calls it when a file is attached, and every minute.
import { fetchObject } from '../_shared/fetchObject.ts'
import { runInTurn, serveTask } from '../_shared/serveTask.ts'
import { call } from '../_shared/service.ts'
import { indexFiles, type ClaimedFile } from './indexFiles.ts'

const index = runInTurn(() =>
  indexFiles({
    claim: () => call<ClaimedFile | null>('claim_file_text', {}),
    fetchFile: (path, maxBytes) => fetchObject(`files/${path}`, 0, maxBytes),
    store: async (job, passages, isLast) => {
      await call('store_file_text', { job, passages, is_last: isLast })
    },
    fail: async (job, problem) => {
      await call('fail_file_text', { job, problem })
    },
  }),
)

serveTask(async () => ({ files: await index() }), 'Not all files were read.')
