import type { Uuid } from '../../../wire/scalars.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { storedDrafts } from './draftFields.ts'
import type { ShownDraft } from './draftFields.ts'

/** All drafts with content, by thread root or channel. */
export function useDrafts(): ReadonlyMap<Uuid, ShownDraft> {
  return useClientSession(storedDrafts)
}
