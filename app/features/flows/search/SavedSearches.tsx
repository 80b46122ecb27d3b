import { i18n } from '@lingui/core'
import Bookmark from 'lucide-react/icons/bookmark'
import Pencil from 'lucide-react/icons/pencil'
import Trash from 'lucide-react/icons/trash-2'
import { useRef, useState, type MouseEvent } from 'react'
import type { SavedSearch } from '../../../../wire/messages.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { deleteSavedSearch, saveSearch, useSavedSearches } from '../../../data/search/savedSearches.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useToast } from '../../../ui/toast.ts'
import { SavedSearchDialog } from './SavedSearchDialog.tsx'
import styles from './SearchStart.module.css'

interface Props {
  onPick: (query: string) => void
}

/** The searches that the user has saved, on all their devices, by name. */
export function SavedSearches({ onPick }: Props) {
  const showToast = useToast()
  const searches = useSavedSearches()
  const heading = useRef<HTMLHeadingElement>(null)
  const [renamed, setRenamed] = useState<SavedSearch | null>(null)

  async function change(written: Promise<Outcome>): Promise<boolean> {
    const outcome = await written
    if (!outcome.ok) showToast({ text: outcome.failure.message })
    return outcome.ok
  }
  async function remove(search: SavedSearch, { currentTarget }: MouseEvent<HTMLElement>) {
    const row = currentTarget.closest('li')
    const adjacent = row?.nextElementSibling ?? row?.previousElementSibling
    if (!(await change(deleteSavedSearch(search.id)))) return
    // The focus would be lost with the row.
    ;(adjacent?.querySelector('button') ?? heading.current)?.focus()
    showToast({
      text: i18n._('Search deleted.'),
      action: { label: i18n._('Undo'), run: () => void change(saveSearch(search)) },
    })
  }

  return (
    <section aria-labelledby="saved-searches">
      <h2 id="saved-searches" ref={heading} tabIndex={-1} className={styles.head}>
        {i18n._('Saved searches')}
      </h2>
      {searches.length === 0 ? (
        <p className="muted">
          {i18n._('Search for something, then choose “Save this search” to find it here.')}
        </p>
      ) : null}
      <ul>
        {searches.map((search) => {
          const { id, name, query } = search
          return (
            <li key={id} className={styles.row}>
              <button
                type="button"
                className={styles.query}
                data-tooltip={query}
                onClick={() => onPick(query)}
              >
                <Icon of={Bookmark} />
                <bdi>{name}</bdi>
              </button>
              <IconButton
                label={i18n._('Rename {name}', { name })}
                icon={<Icon of={Pencil} />}
                onClick={() => setRenamed(search)}
              />
              <IconButton
                label={i18n._('Delete the saved search “{name}”', { name })}
                icon={<Icon of={Trash} />}
                onClick={(event) => void remove(search, event)}
              />
            </li>
          )
        })}
      </ul>
      {renamed ? <SavedSearchDialog search={renamed} onClose={() => setRenamed(null)} /> : null}
    </section>
  )
}
