import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import type { Retention, RetentionPreview, RetentionReceipt } from '../../../wire/retention.ts'
import { verifyReceipts } from '../../../wire/verifyReceipts.ts'
import { registerSentences, success, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace, type WorkspaceArgs } from '../workspaces/callForWorkspace.ts'

registerSentences({ bad_retention: () => i18n._('Enter a number of days between 1 and 3,650.') })

/** Receipts of one page of the list, and of one request of an export. */
const PAGE = 50
const EXPORT_PAGE = 500

/** How long messages are kept; for owners and admins. */
export const retentionSettings = createQuery({ fetch: () => callForWorkspace('retention', {}) })

/** What a rule would delete today; for owners and admins. */
export function previewRetention(
  rule: WorkspaceArgs<'preview_retention'>,
): Promise<Outcome<RetentionPreview>> {
  return callForWorkspace('preview_retention', rule)
}

/** Sets a rule; for owners. */
export function setRetention(rule: WorkspaceArgs<'set_retention'>): Promise<Outcome<Retention>> {
  return setAfter(retentionSettings, [], callForWorkspace('set_retention', rule))
}

/** The receipts, newest first. The argument is the number of the last one. */
export const receiptList = createPagedQuery({
  idOf: (receipt: RetentionReceipt) => receipt.number,
  fetch: async (cursor: number | null, count: number) => {
    const last = cursor ?? count
    // Numbers have no gaps, and the command returns them ascending.
    const after = Math.max(last - PAGE, 0)
    if (last === after) return success({ items: [], next: null })
    const outcome = await callForWorkspace('list_retention_receipts', { after, limit: last - after })
    if (!outcome.ok) return outcome
    return success({ items: outcome.value.receipts.toReversed(), next: after || null })
  },
})

/** All receipts as text, one a line, and the first line whose hashes do not match; for owners and admins. */
export async function exportReceipts(): Promise<Outcome<{ text: string; brokenLine: number | null }>> {
  let text = ''
  let after: number | null = 0
  while (after !== null) {
    const page: Outcome<Commands['list_retention_receipts']['response']> = await callForWorkspace(
      'list_retention_receipts',
      { after, limit: EXPORT_PAGE },
    )
    if (!page.ok) return page
    text += page.value.receipts.map(({ line, hash }) => `${line} ${hash}\n`).join('')
    after = page.value.after
  }
  const { broken } = await verifyReceipts(text)
  return success({ text, brokenLine: broken?.line ?? null })
}
