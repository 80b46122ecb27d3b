import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { SavedSearch } from '../../../../wire/messages.ts'
import type { Failure } from '../../../data/failures/failures.ts'
import {
  renameSavedSearch,
  SAVED_SEARCH_NAME_CHARACTERS,
  saveSearch,
} from '../../../data/search/savedSearches.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'

interface Props {
  /** The saved search to rename, or the text of one to save. */
  search: SavedSearch | string
  onSaved?: () => void
  onClose: () => void
}

/** Saves a search under a name, or renames a saved one. */
export function SavedSearchDialog({ search, onSaved, onClose }: Props) {
  const isNew = typeof search === 'string'
  const [id] = useState(() => (isNew ? crypto.randomUUID() : search.id))
  const [name, setName] = useState(() =>
    isNew ? search.slice(0, SAVED_SEARCH_NAME_CHARACTERS).trim() : search.name,
  )
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const trimmed = name.trim()

  const save = async () => {
    if (!trimmed || busy) return
    setBusy(true)
    const outcome = isNew
      ? await saveSearch({ id, name: trimmed, query: search })
      : await renameSavedSearch(id, trimmed)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure)
    onSaved?.()
    onClose()
  }

  return (
    <Dialog title={isNew ? i18n._('Save search') : i18n._('Rename search')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void save()} failure={failure?.message ?? null}>
          <TextField
            label={i18n._('Name')}
            hint={i18n._('Only you see your saved searches, on all your devices.')}
            value={name}
            maxLength={SAVED_SEARCH_NAME_CHARACTERS}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={busy} disabled={!trimmed}>
              {i18n._('Save')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
