import { i18n } from '@lingui/core'
import type { ImportSummary } from '../../../wire/imports.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** The imports of other products, newest first; for owners and admins. */
export const importList = createQuery({
  maxStored: 1,
  fetch: async () => {
    const outcome = await callForWorkspace('list_imports', {})
    return outcome.ok ? success(outcome.value.imports) : outcome
  },
})

/** What the undo of an import would delete; for owners. */
export const undoPreview = createQuery({
  fetch: (id: Uuid) => callCommand('preview_undo', { import: id }),
})

/** The receipt of an import as text; for owners. */
export async function readReceipt(id: Uuid): Promise<Outcome<string>> {
  const outcome = await callCommand('import_receipt', { import: id })
  return outcome.ok ? success(`${JSON.stringify(outcome.value.receipt, null, 2)}\n`) : outcome
}

/**
 * Deletes what an import has created; for owners.
 * @param laterMessages the number of messages that people have written since, as the owner has seen it
 */
export async function undoImport(id: Uuid, laterMessages: number): Promise<Outcome<ImportSummary>> {
  const outcome = refetchAfter(
    await callCommand('undo_import', { import: id, accepted_messages: laterMessages }),
    importList,
  )
  if (outcome.ok || outcome.failure.name !== 'conflict') return outcome
  undoPreview.invalidate(id)
  return {
    ok: false,
    failure: {
      ...outcome.failure,
      message: i18n._(
        'Somebody has written more messages, or an import is running. Check the numbers again, then repeat.',
      ),
    },
  }
}
