import { i18n } from '@lingui/core'
import type { ImportedPerson, ImportSummary } from '../../../wire/imports.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
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
        'Someone has written more messages, or an import is running. Check the numbers, then try again.',
      ),
    },
  }
}

/** Imported people whom no member has claimed, by a part of their name or address. `suggested`: whose address a member has confirmed. */
export const importedPeople = createPagedQuery({
  idOf: (person: ImportedPerson) => person.profile_id,
  fetch: async (after: string | null, query: string) => {
    const outcome = await callForWorkspace('list_imported_people', { query, after })
    if (!outcome.ok) return outcome
    const { people, after: next, suggested } = outcome.value
    return success({ items: people, next, summary: { suggested } })
  },
})

/** What a member would get with a claim; for owners. */
export const claimPreview = createQuery({
  fetch: (imported: Uuid, member: Uuid) => callCommand('preview_claim', { imported, member }),
})

/** Gives the messages and memberships of an imported person to a member; for owners. */
export async function claimImportedPerson(imported: Uuid, member: Uuid): Promise<Outcome<ImportedPerson>> {
  return refetchAfter(await callCommand('claim_imported_person', { imported, member }), importedPeople)
}
