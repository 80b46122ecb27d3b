import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useState } from 'react'
import type { AdministeredChannel } from '../../../../wire/administration.ts'
import { channelList } from '../../../data/administration/administerChannels.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { moveInList } from '../../../ui/moveInList.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useSettled } from '../../../ui/useSettled.ts'

interface Props {
  onChoose: (channel: AdministeredChannel) => void
  onClose: () => void
}

/** Chooses one of the channels that the user administers, joined or not. */
export function ChooseChannel({ onChoose, onClose }: Props) {
  const [query, setQuery] = useState('')
  const term = useSettled(query)
  const pages = usePagedQuery(channelList, [{ query: term }])
  return (
    <Dialog title={i18n._('Choose a channel')} position="top" onClose={onClose}>
      <div className={layout.body} role="presentation" onKeyDown={moveInList}>
        <TextField
          label={i18n._('Search by name or topic')}
          type="search"
          value={query}
          onChange={setQuery}
        />
        <PagedList
          label={i18n._('Channels')}
          className={layout.list}
          pages={pages}
          empty={i18n._('No channels match.')}
          render={(channel) => (
            <li key={channel.id}>
              <button type="button" data-entry className={layout.row} onClick={() => onChoose(channel)}>
                <Icon of={channel.archived_at ? Archive : channel.kind === 'private' ? Lock : Hash} />
                <bdi className={layout.name}>{channel.name}</bdi>
              </button>
            </li>
          )}
        />
      </div>
    </Dialog>
  )
}
