import { runAsCaller, transactAsCaller } from '../../postgres/connections/runAsCaller.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { lockName } from '../object/objectRows.ts'
import { serviceCaller } from '../Storage.ts'
import type { Storage } from '../Storage.ts'
import type { OpenUpload, UploadStore } from './createUploadStore.ts'

/** Versions queried in one statement. */
const batch = 1000

/**
 * Removes uploads whose objects have rows, after a crash between the row and the removal of the upload. Must run before
 * the service accepts requests.
 */
export async function removeFinishedUploads(pool: Pool, uploads: UploadStore): Promise<void> {
  const versions = uploads.versions()
  for (let at = 0; at < versions.length; at += batch) {
    const some = versions.slice(at, at + batch)
    const [found] = await runAsCaller(pool, { caller: serviceCaller, readOnly: true }, [
      { text: 'select version from storage.objects where version = any($1)', values: [some] },
    ])
    for (const { version } of found!.rows as { version: string }[])
      await uploads.remove(uploads.find(version)!)
  }
}

/**
 * After a commit without a response: queries whether the row exists, after a commit that may still be in progress. If it
 * exists, the upload is finished and removed; else its bytes may change again. The caller holds its lock.
 */
export async function resolveUncertain(
  { pool, bytes }: Pick<Storage, 'pool' | 'bytes'>,
  uploads: UploadStore,
  upload: OpenUpload,
): Promise<void> {
  if (!upload.isUncertain) return
  const { bucket, name, version } = upload.record
  const isCommitted = await transactAsCaller(pool, { caller: serviceCaller }, async (client) => {
    await client.query(lockName(bucket, name))
    const { rows } = await client.query('select from storage.objects where version = $1', [version])
    return rows.length > 0
  })
  if (isCommitted) {
    await bytes.settle(version)
    await uploads.remove(upload)
  } else {
    await bytes.discard(version)
    upload.isUncertain = false
  }
}
