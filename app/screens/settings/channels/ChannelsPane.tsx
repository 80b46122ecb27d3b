import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useState } from 'react'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import type { AdministeredChannel, ChannelSort } from '../../../../wire/administration.ts'
import { archiveChannels, channelList } from '../../../data/administration/administerChannels.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { canDeleteChannel } from '../../../data/workspaces/workspacePermissions.ts'
import DeleteChannel from '../../../features/flows/channels/details/DeleteChannel.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { SelectableRow, selectableListClass } from '../../../features/parts/lists/SelectableRow.tsx'
import { SelectionActions } from '../../../features/parts/lists/SelectionActions.tsx'
import { useSelection } from '../../../features/parts/lists/useSelection.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatDay } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useSettled } from '../../../ui/useSettled.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import styles from '../SettingsPane.module.css'

type Kind = AdministeredChannel['kind']
type State = 'open' | 'archived'

/** Channels of the workspace for owners and admins: found by search and filters, archived one or many at a time. */
export default function ChannelsPane() {
  const [query, setQuery] = useState('')
  const [kind, setKind] = useState<Kind | ''>('')
  const [state, setState] = useState<State | ''>('open')
  const [sort, setSort] = useState<ChannelSort>('name')
  const selection = useSelection<AdministeredChannel>(({ id }) => id)
  const term = useSettled(query)
  const pages = usePagedQuery(channelList, [
    {
      query: term,
      sort,
      ...(kind && { kinds: [kind] }),
      ...(state && { archived: state === 'archived' }),
    },
  ])
  const title = i18n._('Manage channels')
  const filter = (change: () => void) => {
    change()
    selection.clear()
  }
  return (
    <PaneFrame title={title}>
      <p className={styles.muted}>
        {i18n._(
          'All public channels, and the private ones you’re a member of. Others stay private, even from you.',
        )}
      </p>
      <TextField
        label={i18n._('Search by name or topic')}
        type="search"
        value={query}
        onChange={(event) => {
          const { value } = event.currentTarget
          filter(() => setQuery(value))
        }}
      />
      <div className={styles.filters}>
        <SelectField<Kind | ''>
          label={i18n._('Visibility')}
          value={kind}
          options={[
            { value: '', label: i18n._('All') },
            { value: 'public', label: i18n._('Public') },
            { value: 'private', label: i18n._('Private') },
          ]}
          onChange={(value) => filter(() => setKind(value))}
        />
        <SelectField<State | ''>
          label={i18n._('State')}
          value={state}
          options={[
            { value: '', label: i18n._('All') },
            { value: 'open', label: i18n._('In use') },
            { value: 'archived', label: i18n._('Archived') },
          ]}
          onChange={(value) => filter(() => setState(value))}
        />
        <SelectField<ChannelSort>
          label={i18n._('Sort by')}
          value={sort}
          options={[
            { value: 'name', label: i18n._('By name') },
            { value: 'members', label: i18n._('Most members') },
            { value: 'active', label: i18n._('Latest activity') },
            { value: 'inactive', label: i18n._('Longest without messages') },
            { value: 'created', label: i18n._('Newest') },
          ]}
          onChange={setSort}
        />
      </div>
      <p role="status" className={styles.muted}>
        {pages.summary
          ? i18n._('{count, plural, one {# channel} other {# channels}}', { count: pages.summary.total })
          : ''}
      </p>
      <Actions channels={selection.items} onDone={selection.clear} onClear={selection.clear} />
      <PagedList
        label={title}
        className={selectableListClass}
        pages={pages}
        empty={i18n._('No channels match.')}
        render={(channel) => (
          <SelectableRow
            key={channel.id}
            picture={<Icon of={channel.archived_at ? Archive : channel.kind === 'private' ? Lock : Hash} />}
            name={channel.name}
            facts={factsOf(channel)}
            checked={selection.has(channel.id)}
            onChange={(on) => selection.set(channel, on)}
          >
            <Button
              onClick={() => navigate(pathTo('channel', { channelId: channel.id }))}
              variant="quiet"
              aria-label={i18n._('Open {name}', { name: `#${channel.name}` })}
            >
              {i18n._('Open')}
            </Button>
          </SelectableRow>
        )}
      />
    </PaneFrame>
  )
}

interface ActionsProps {
  channels: readonly AdministeredChannel[]
  onDone: () => void
  onClear: () => void
}

/** What the user may do with all selected channels; the server checks it again. */
function Actions({ channels, onDone, onClear }: ActionsProps) {
  /** Whether the channels of the open dialog are archived or restored. */
  const [target, setTarget] = useState<boolean | null>(null)
  const open = channels.filter(({ archived_at }) => archived_at === null)
  const archived = channels.filter(({ archived_at }) => archived_at !== null)
  const count = target ? open.length : archived.length
  const me = useMe()
  const [isDeleting, setDeleting] = useState(false)
  // One at a time: its name is entered.
  const single = channels.length === 1 && canDeleteChannel(me, null) ? channels[0] : undefined
  return (
    <SelectionActions
      label={i18n._('Actions for the channels you chose')}
      count={channels.length}
      onClear={onClear}
    >
      {open.length ? <Button onClick={() => setTarget(true)}>{i18n._('Archive')}</Button> : null}
      {archived.length ? <Button onClick={() => setTarget(false)}>{i18n._('Unarchive')}</Button> : null}
      {single ? <Button onClick={() => setDeleting(true)}>{i18n._('Delete channel')}</Button> : null}
      {single && isDeleting ? (
        <DeleteChannel channel={single} onDone={onDone} onClose={() => setDeleting(false)} />
      ) : null}
      {target === null ? null : (
        <ConfirmDialog
          title={
            target
              ? i18n._('{count, plural, one {Archive this channel?} other {Archive # channels?}}', { count })
              : i18n._('{count, plural, one {Unarchive this channel?} other {Unarchive # channels?}}', {
                  count,
                })
          }
          text={
            target
              ? i18n._('They stay readable and searchable, but nobody can post. Members stay members.')
              : i18n._('Members can post again.')
          }
          action={target ? i18n._('Archive') : i18n._('Unarchive')}
          doneText={i18n._('Changes saved.')}
          run={() =>
            archiveChannels(
              (target ? open : archived).map(({ id }) => id),
              target,
            )
          }
          onDone={onDone}
          onClose={() => setTarget(null)}
        />
      )}
    </SelectionActions>
  )
}

function factsOf(channel: AdministeredChannel): string {
  const { kind, topic, members, archived_at, last_message_at, created_at } = channel
  const parts = [i18n._('{members, plural, one {# person} other {# people}}', { members })]
  if (kind === 'private') parts.unshift(i18n._('Private'))
  if (archived_at) parts.push(i18n._('archived {date}', { date: formatDate(archived_at) }))
  parts.push(
    last_message_at
      ? i18n._('Last message: {day}', { day: formatDay(last_message_at) })
      : i18n._('no messages, created {date}', { date: formatDate(created_at) }),
  )
  if (topic) parts.push(topic)
  return parts.join(' · ')
}
