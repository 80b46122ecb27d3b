import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import type { AdministeredChannel, ChannelSort } from '../../../../wire/administration.ts'
import { archiveChannels, channelList } from '../../../data/administration/administerChannels.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { canDeleteChannel } from '../../../data/workspaces/workspacePermissions.ts'
import DeleteChannel from '../../../features/flows/channels/details/DeleteChannel.tsx'
import { FilteredList } from '../../../features/parts/lists/FilteredList.tsx'
import { PagedTable, type Column } from '../../../features/parts/lists/PagedTable.tsx'
import { SearchFilter } from '../../../features/parts/lists/SearchFilter.tsx'
import { SelectionActions } from '../../../features/parts/lists/SelectionActions.tsx'
import { useFilters } from '../../../features/parts/lists/useFilters.ts'
import { useSelection } from '../../../features/parts/lists/useSelection.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { useOverlay } from '../../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatDate, formatDay } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Link } from '../../../ui/Link.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import list from '../SettingsList.module.css'

const FILTERS = {
  q: null,
  kind: ['all', 'public', 'private'],
  state: ['open', 'archived', 'all'],
  sort: ['name', 'name.desc', 'members', 'members.asc', 'active', 'inactive', 'created', 'created.asc'],
} as const

/** Channels of the workspace for owners and admins: found by search and filters, archived one or many at a time. */
export default function ChannelsPane() {
  const me = useMe()
  const open = useOverlay()
  const { values, change } = useFilters(FILTERS)
  const { q, kind, state, sort } = values
  const selection = useSelection<AdministeredChannel>(idOf, JSON.stringify({ ...values, sort: '' }))
  const [action, setAction] = useState<'archive' | 'unarchive' | 'delete' | null>(null)
  const pages = usePagedQuery(channelList, [
    {
      query: q,
      sort,
      ...(kind !== 'all' && { kinds: [kind] }),
      ...(state !== 'all' && { archived: state === 'archived' }),
    },
  ])
  const channels = selection.items
  const used = channels.filter(({ archived_at }) => archived_at === null)
  const archived = channels.filter(({ archived_at }) => archived_at !== null)
  // One at a time: its name is entered.
  const single = channels.length === 1 && canDeleteChannel(me, null) ? channels[0] : undefined
  return (
    <PaneFrame
      isWide
      list={JSON.stringify(values)}
      isReady={pages.value !== undefined}
      hint={i18n._(
        'All public channels, and the private ones you’re a member of. Others stay private, even from you.',
      )}
      action={
        <Button variant="primary" onClick={() => open({ kind: 'create-channel' })}>
          {i18n._('Create channel')}
        </Button>
      }
    >
      <FilteredList
        label={i18n._('Search channels')}
        filters={
          <>
            <SearchFilter
              label={i18n._('Search by name or topic')}
              value={q}
              onChange={(next) => change({ q: next })}
            />
            <SelectField
              label={i18n._('Visibility')}
              value={kind}
              options={[
                { value: 'all', label: i18n._('All') },
                { value: 'public', label: i18n._('Public') },
                { value: 'private', label: i18n._('Private') },
              ]}
              onChange={(next) => change({ kind: next })}
            />
            <SelectField
              label={i18n._('State')}
              value={state}
              options={[
                { value: 'all', label: i18n._('All') },
                { value: 'open', label: i18n._('In use') },
                { value: 'archived', label: i18n._('Archived') },
              ]}
              onChange={(next) => change({ state: next })}
            />
          </>
        }
        count={
          pages.summary
            ? i18n._('{count, plural, one {# channel} other {# channels}}', { count: pages.summary.total })
            : null
        }
        actions={
          <SelectionActions
            label={i18n._('Actions for the selected channels')}
            count={channels.length}
            actions={[
              ...(used.length ? [{ label: i18n._('Archive'), onSelect: () => setAction('archive') }] : []),
              ...(archived.length
                ? [{ label: i18n._('Unarchive'), onSelect: () => setAction('unarchive') }]
                : []),
              ...(single
                ? [
                    {
                      label: i18n._('Delete channel'),
                      isDestructive: true,
                      onSelect: () => setAction('delete'),
                    },
                  ]
                : []),
            ]}
            onClear={selection.clear}
          />
        }
      >
        <PagedTable
          label={i18n._('Manage channels')}
          pages={pages}
          empty={i18n._('No channels match.')}
          idOf={idOf}
          nameOf={({ name }) => name}
          selection={selection}
          columns={columns()}
          sort={sort}
          onSort={(next) => change({ sort: next })}
        />
      </FilteredList>
      {single && action === 'delete' ? (
        <DeleteChannel channel={single} onDone={selection.clear} onClose={() => setAction(null)} />
      ) : null}
      {action === 'archive' || action === 'unarchive' ? (
        <ArchiveChannels
          channels={action === 'archive' ? used : archived}
          areArchived={action === 'archive'}
          onDone={selection.clear}
          onClose={() => setAction(null)}
        />
      ) : null}
    </PaneFrame>
  )
}

function idOf({ id }: AdministeredChannel): string {
  return id
}

const columns = (): Column<AdministeredChannel, ChannelSort>[] => [
  {
    title: i18n._('Name'),
    ascending: 'name',
    descending: 'name.desc',
    mark: ({ kind, archived_at }) => (
      <Icon
        of={archived_at ? Archive : kind === 'private' ? Lock : Hash}
        label={kind === 'private' ? i18n._('Private') : i18n._('Public')}
      />
    ),
    render: ({ id, name, topic, archived_at }) => (
      <>
        <Link href={pathTo('channel', { channelId: id })} className={list.name}>
          <bdi>{name}</bdi>
        </Link>
        {archived_at ? (
          <span className="note">{i18n._('archived {date}', { date: formatDate(archived_at) })}</span>
        ) : null}
        <bdi className="note">{topic}</bdi>
      </>
    ),
  },
  {
    title: i18n._('People'),
    ascending: 'members.asc',
    descending: 'members',
    render: ({ members }) => i18n._('{members, plural, one {# person} other {# people}}', { members }),
  },
  {
    title: i18n._('Last message'),
    ascending: 'inactive',
    descending: 'active',
    render: ({ last_message_at: at }) => (at ? formatDay(at) : i18n._('None')),
  },
  {
    title: i18n._('Created'),
    ascending: 'created.asc',
    descending: 'created',
    render: ({ created_at }) => formatDate(created_at),
  },
]

interface ArchiveProps {
  channels: readonly AdministeredChannel[]
  /** Whether they will be archived; otherwise they can be used again. */
  areArchived: boolean
  onDone: () => void
  onClose: () => void
}

/** Confirms that channels are archived, or used again. The server checks the user's right. */
function ArchiveChannels({ channels, areArchived, onDone, onClose }: ArchiveProps) {
  const count = channels.length
  return (
    <ConfirmDialog
      title={
        areArchived
          ? i18n._('{count, plural, one {Archive this channel?} other {Archive # channels?}}', { count })
          : i18n._('{count, plural, one {Unarchive this channel?} other {Unarchive # channels?}}', { count })
      }
      text={
        areArchived
          ? i18n._('Everything stays readable and searchable, but nobody can post. Members stay members.')
          : i18n._('Members can post again.')
      }
      action={areArchived ? i18n._('Archive') : i18n._('Unarchive')}
      doneText={i18n._('Changes saved.')}
      run={() =>
        archiveChannels(
          channels.map(({ id }) => id),
          areArchived,
        )
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}
