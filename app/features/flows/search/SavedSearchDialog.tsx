import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { SavedSearch } from '../../../../wire/messages.ts'
import {
  renameSavedSearch,
  SAVED_SEARCH_NAME_CHARACTERS,
  saveSearch,
} from '../../../data/search/savedSearches.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
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
  const trimmed = name.trim()

  return (
    <FormDialog
      title={isNew ? i18n._('Save search') : i18n._('Rename search')}
      action={i18n._('Save')}
      run={() => (isNew ? saveSearch({ id, name: trimmed, query: search }) : renameSavedSearch(id, trimmed))}
      isDisabled={!trimmed}
      fields={{ saved_searches_name_length: 'name' }}
      onDone={onSaved}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={i18n._('Name')}
        hint={i18n._('Only you see your saved searches, on all your devices.')}
        value={name}
        maxLength={SAVED_SEARCH_NAME_CHARACTERS}
        onChange={setName}
      />
    </FormDialog>
  )
}
