import type { Caller } from '../../../../wire/claims.ts'
import { callerKey } from '../../../budgets/callerKey.ts'
import { asCallerInteractive } from '../../../postgres/connections/asCaller.ts'
import { toStorageError } from '../../toStorageError.ts'
import { errors } from '../../errors.ts'
import { serviceCaller } from '../../Storage.ts'
import type { Storage } from '../../Storage.ts'
import { insertObject, lockName, selectReplaced, upsertObject } from '../rows.ts'
import type { ObjectDraft, ObjectRow } from '../rows.ts'
import { requireReplaceAllowed } from './requireReplaceAllowed.ts'

/**
 * Makes received bytes the object of that name: file first, then the row, then the file it replaces goes.
 * Row security was asked before; the write itself is the service's, as upstream has it, but for what is replaced, of
 * which `by` is asked once more where it is there. Throws KeyAlreadyExists where the name was taken meanwhile and
 * nothing is to be replaced.
 * @param draft.by who writes; the service itself where a signed link has answered for it
 */
export async function commitVersion(
  storage: Storage,
  settings: Record<string, string>,
  draft: ObjectDraft & { writer: Caller; upsert: boolean; from?: string },
): Promise<{ id: string }> {
  const { bytes } = storage
  let done: { id: string; replaced: string | null }
  try {
    await bytes.publish(draft.version, draft.from)
    const caller = { ...serviceCaller, payer: callerKey(draft.writer) }
    done = await asCallerInteractive(storage.pool, { caller, settings }, async (client) => {
      // In one flight as far as it goes. Where the name is taken the insert fails, and what was found says why.
      const locking = client.query(lockName(draft.bucket, draft.name))
      const finding = client.query<Pick<ObjectRow, 'version'>>(selectReplaced(draft.bucket, draft.name))
      const inserting = draft.upsert ? null : client.query<{ id: string }>(insertObject(draft))
      inserting?.catch(() => {})
      const [, found] = await Promise.all([locking, finding])
      const current = found.rows[0]
      if (current && !draft.upsert) throw errors.keyAlreadyExists()
      if (current && draft.writer.role !== serviceCaller.role)
        await requireReplaceAllowed(client, draft.writer, draft)
      const { rows } = await (inserting ?? client.query<{ id: string }>(upsertObject(draft)))
      const replaced = current?.version ?? null
      if (replaced) await bytes.mark([replaced])
      return { id: rows[0]!.id, replaced }
    })
  } catch (error) {
    // Only a refusal proves that nothing was committed. After a lost connection the row may stand, so the
    // bytes stay and the sweep of the next start asks the database.
    if (toStorageError(error).statusCode < 500 || toStorageError(error).statusCode === 507) {
      await bytes.discard(draft.version)
    }
    throw error
  }
  if (done.replaced) await bytes.discard(done.replaced)
  await bytes.settle(draft.version)
  return { id: done.id }
}
