import type { Draft } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Ports } from '../sync/ports.ts'
import { joinTexts } from './joinTexts.ts'
import type { Execution } from './execution.ts'
import { findDraftMutation, isContent } from './kinds/draftKind.ts'
import type { MutationOf, Mutations } from './mutation.ts'

/**
 * Saves a draft on the server. Where another device has changed it, that device's text and this one's are joined and
 * saved again. A draft of a channel that the user can no longer read is dropped.
 */
export async function saveDraft(mutation: MutationOf<'draft'>, call: Ports['call']): Promise<Execution> {
  const { id, channel, conversation, threadRoot: thread_root, text: body, quote, base } = mutation
  const outcome = await call('save_draft', { id, channel, body, thread_root, quote, base: [...base] })
  if (!outcome.ok) {
    const { failure } = outcome
    if (failure.isRetryable) return { result: 'retry', response: null }
    return failure.name === 'not_found' ? { result: 'done', response: null } : { result: 'refused', failure }
  }
  const { applied, draft } = outcome.value
  const response = draft && {
    type: 'ownRowReceived' as const,
    kind: 'drafts' as const,
    id: draft.id,
    row: draft,
  }
  if (applied || !response) return { result: 'done', response }
  return { result: 'changed', response, update: (all) => joinDrafts(all, conversation, response.row) }
}

/**
 * Joins what was typed here with what another device has saved meanwhile: `theirs` is the draft on the server now. What
 * was typed is never lost. Decision 32.
 */
export function joinDrafts(mutations: Mutations, conversation: Uuid, theirs: Draft): Mutations {
  const last = findDraftMutation(mutations, conversation)
  if (!last) return mutations
  const rest = mutations.filter(
    (mutation) => mutation.kind !== 'draft' || mutation.conversation !== conversation,
  )
  // Emptied here without what the other device has written.
  if (!isContent(last)) return rest
  const joined: MutationOf<'draft'> = {
    ...last,
    text: joinTexts(last.from, theirs.body, last.text),
    quote: last.quote ?? theirs.quote,
    from: theirs.body,
    base: [theirs.change_id],
    maybeSent: false,
    notBefore: 0,
    revision: last.revision + 1,
  }
  return [...rest, joined]
}
