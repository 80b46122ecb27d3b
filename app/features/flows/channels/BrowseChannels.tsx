import { i18n } from '@lingui/core'
import { useState } from 'react'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { canCreateChannels } from '../../../data/workspaces/workspacePermissions.ts'
import { Button } from '../../../ui/Button.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { GrowingList } from '../../../ui/GrowingList.tsx'
import { moveInList } from '../../../ui/moveInList.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { isComposing } from '../../../ui/isComposing.ts'
import { QueryContent } from '../../parts/lists/QueryContent.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import styles from './BrowseChannels.module.css'
import { BrowseRow } from './BrowseRow.tsx'
import { rankChannels, type Order, type ChannelFilter } from './rankChannels.ts'

/** The dialog with all channels that the reader can read: joined, joinable and archived ones. */
export default function BrowseChannels({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const open = useOverlay()
  const isGuest = me.role === 'guest'
  const channels = useQuery(publicChannels)
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<ChannelFilter>(isGuest ? 'mine' : 'all')
  const [order, setOrder] = useState<Order>('name')
  const found = rankChannels(channels.value ?? [], query, filter, order)
  const filters: { value: ChannelFilter; label: string }[] = [
    { value: 'mine', label: i18n._('Your channels') },
    { value: 'archived', label: i18n._('Archived') },
  ]
  if (!isGuest) filters.unshift({ value: 'all', label: i18n._('All') })
  return (
    <Dialog title={i18n._('Browse channels')} position="top" className={styles.browser} onClose={onClose}>
      <div className={layout.body} role="presentation" onKeyDown={moveInList}>
        <TextField
          label={i18n._('Search channels')}
          hideLabel
          placeholder={i18n._('Search channels')}
          type="search"
          value={query}
          onChange={setQuery}
          onKeyDown={(event) => {
            const [only] = found
            if (event.key === 'Enter' && !isComposing(event.nativeEvent) && query.trim() && only) {
              event.currentTarget.closest('dialog')?.querySelector<HTMLElement>('[data-entry]')?.click()
            }
          }}
        />
        <div className={styles.filters}>
          <RadioGroup
            label={i18n._('Show')}
            hideLabel
            value={filter}
            options={filters}
            onChange={setFilter}
          />
          <label className={styles.order}>
            <span>{i18n._('Sort by')}</span>
            <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
              <option value="name">{i18n._('Name')}</option>
              <option value="people">{i18n._('Most members')}</option>
              <option value="active">{i18n._('Latest activity')}</option>
              <option value="new">{i18n._('Newest')}</option>
            </select>
          </label>
        </div>
        <QueryContent query={channels} loading={i18n._('Loading the channels')}>
          {() => (
            <>
              <GrowingList
                label={i18n._('Channels')}
                className={`${layout.list} ${styles.list}`}
                items={found}
                selection={`${filter} ${order} ${query}`}
                render={(one) => <BrowseRow key={one.channel.id} found={one} onClose={onClose} />}
              />
              {found.length === 0 ? (
                <p className="muted" role="status">
                  {emptySentence(filter, query.trim() !== '', isGuest)}
                </p>
              ) : null}
            </>
          )}
        </QueryContent>
        {canCreateChannels(me) ? (
          <div className={layout.footer}>
            <Button
              onClick={() =>
                open({ kind: 'create-channel', ...(query.trim() ? { name: query.trim() } : {}) })
              }
            >
              {i18n._('Create a channel')}
            </Button>
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}

function emptySentence(filter: ChannelFilter, hasQuery: boolean, isGuest: boolean): string {
  if (hasQuery && isGuest) return i18n._('None of your channels match.')
  if (hasQuery) return i18n._('No channels match. You can create one with this name.')
  if (filter === 'archived') return i18n._('No archived channels. You can archive a channel in its settings.')
  if (isGuest) return i18n._('You’re not in any channels yet. Ask whoever invited you to add you.')
  if (filter === 'mine') return i18n._('You’re not in any channels yet. Join one, or create your own.')
  return i18n._('No channels yet. Create the first one.')
}
